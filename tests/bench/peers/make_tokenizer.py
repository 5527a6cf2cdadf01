"""Writes a tokenizer directory that needs no network: one token a word, so that a prompt of n tokens is easy to make."""
import json
import os
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
# The null endpoint's own words, and enough others for prompts.
words = ['<unk>', '<s>', '</s>'] + 'tide mark high moon flow neap wave sand salt wind gull rock surf reef foam buoy'.split()
words += [a + b + c for a in 'bdfgklmnprst' for b in 'aeiou' for c in ('l', 'n', 'r', 'st', 'mp')]
tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token='<unk>'))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer.decoder = decoders.WordPiece(prefix='##')  # puts a blank between words
tokenizer.save(os.path.join(folder, 'tokenizer.json'))
with open(os.path.join(folder, 'tokenizer_config.json'), 'w') as file:
    json.dump({'tokenizer_class': 'PreTrainedTokenizerFast', 'unk_token': '<unk>', 'bos_token': '<s>',
               'eos_token': '</s>', 'model_max_length': 100000}, file)
