#!/usr/bin/env python3
"""llama.cpp's own server over a model of random weights: an endpoint that we did not write.

Prints its base URL on one line when it answers, then serves until its standard input ends or its
parent dies, so that no server outlives the test that started it.
"""

import argparse
import ctypes
import os
import signal
import sys
import tempfile

import gguf
import numpy

BYTE_PIECES = 256
CONTEXT_PER_SLOT = 1024
# Short, for each character is a token.
CHAT_TEMPLATE = "{% for message in messages %}Q:{{ message['content'] }}\n{% endfor %}A:"


def die_with_parent(parent: int) -> None:
    """Asks the kernel for a SIGKILL when the parent ends (the server's threads ignore SIGTERM)."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent is gone")


def add_tokenizer(writer: gguf.GGUFWriter) -> int:
    """A SentencePiece vocabulary of the bytes and of printable ASCII: any text has tokens, and a
    prompt's count grows evenly with its length. Returns the vocabulary's size."""
    pieces = ["<unk>", "<s>", "</s>"]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    pieces += [f"<0x{byte:02X}>" for byte in range(BYTE_PIECES)]
    kinds += [gguf.TokenType.BYTE] * BYTE_PIECES
    letters = ["\u2581"] + [chr(code) for code in range(33, 127)]
    pieces += letters
    kinds += [gguf.TokenType.NORMAL] * len(letters)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(pieces)
    writer.add_token_scores([-float(i) for i in range(len(pieces))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(CHAT_TEMPLATE)
    return len(pieces)


def add_weights(writer: gguf.GGUFWriter, layers: int, width: int, vocabulary: int) -> None:
    random = numpy.random.default_rng(1)

    def matrix(name: str, rows: int, columns: int) -> None:
        scale = 1.0 / numpy.sqrt(columns)
        writer.add_tensor(name, (random.standard_normal((rows, columns)) * scale).astype(numpy.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, numpy.ones(width, dtype=numpy.float32))

    matrix("token_embd.weight", vocabulary, width)
    ones("output_norm.weight")
    matrix("output.weight", vocabulary, width)
    for layer in range(layers):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        ones(f"{block}.ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"{block}.{name}.weight", width, width)
        matrix(f"{block}.ffn_gate.weight", 2 * width, width)
        matrix(f"{block}.ffn_up.weight", 2 * width, width)
        matrix(f"{block}.ffn_down.weight", width, 2 * width)


def write_model(path: str, layers: int, width: int, heads: int, context: int) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tidemark-peer")
    vocabulary = add_tokenizer(writer)
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(vocabulary)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    add_weights(writer, layers, width, vocabulary)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(model: str, arguments: argparse.Namespace):
    import xllamacpp  # loads 100 MB; only once the model is written

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"tidemark-peer"}
    params.hostnames = ["127.0.0.1"]
    params.port = arguments.port
    params.n_parallel = arguments.slots
    params.n_ctx = arguments.slots * CONTEXT_PER_SLOT
    params.cpuparams.n_threads = arguments.threads
    params.cpuparams_batch.n_threads = arguments.threads
    params.n_threads_http = arguments.http_threads
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.verbosity = -1
    return xllamacpp.Server(params)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--http-threads", type=int, default=40,
                        help="each open connection takes one: at least the highest concurrency and 4")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    arguments = parser.parse_args()
    die_with_parent(os.getppid())
    with tempfile.TemporaryDirectory(prefix="tidemark-peer-") as folder:
        model = os.path.join(folder, "model.gguf")
        write_model(model, arguments.layers, arguments.width, arguments.heads, CONTEXT_PER_SLOT)
        server = serve(model, arguments)
    # The mapped file lives on without its name: nothing is left behind however this ends.
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the server's own threads may hang in their last waits


if __name__ == "__main__":
    main()
