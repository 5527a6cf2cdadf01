#!/usr/bin/env python3
"""Tidemark beside other load generators, on one null endpoint: CPU over all their processes, memory, and what they say.

The server has core 1 to send with; who measures may use both. CPU is gross: all that the tool's processes use between
the first request that the server reads and the last answer's end, divided by the token events that the server sent
meanwhile. What they use to start and to report is shown beside it. Peers cannot carry all loads: their own events a
second are shown too.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from bench import save, saved, show  # noqa: E402
from bench_run import NullServer, Settings, machine, median, read_send_log, tree_cpu  # noqa: E402

DELAY_MS, ITL_MS = 100, 20
LOADS = [(64, 256, 192), (256, 256, 512), (1000, 256, 1500), (64, 8, 2000)]  # streams, events a request, requests
LIMIT_S = 170


class Watch(threading.Thread):
    """CPU seconds and memory of a process tree, five times a second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples, self.memory, self.over = pid, [], 0, threading.Event()

    def run(self):
        ended = {}
        while not self.over.wait(0.2):
            cpu, memory = tree_cpu(self.pid, ended)
            self.samples.append((time.monotonic_ns(), cpu))
            self.memory = max(self.memory, memory)

    def cpu_at(self, ns):
        before = [s for s in self.samples if s[0] <= ns] or self.samples[:1]
        after = [s for s in self.samples if s[0] > ns] or self.samples[-1:]
        (t0, c0), (t1, c1) = before[-1], after[0]
        return c0 if t1 <= t0 else c0 + (c1 - c0) * min(1, max(0, (ns - t0) / (t1 - t0)))


def tidemark(settings, _, url, streams, events, requests, home):
    command = [os.path.join(settings.bin, 'tidemark'), 'sweep', '--url', url, '--model', 'mock', '--concurrency', streams,
               '--request-count', requests, '--isl', 128, '--osl', events, '--output-dir', home + '/out']

    def said():
        with open(home + '/out/result.json') as file:
            level = json.load(file)['levels'][0]
        return next(m['avg'] for m in level['metrics'] if m['tag'] == 'time_to_first_token'), level['measured']['ok']
    return command, said


def aiperf(_, python, url, streams, events, requests, home):
    command = [os.path.join(os.path.dirname(python), 'aiperf'), 'profile', '--model', 'mock', '--url', url,
               '--endpoint-type', 'chat', '--streaming', '--tokenizer', home + '/tokenizer', '--ui', 'none',
               '--no-gpu-telemetry', '--no-server-metrics', '--concurrency', streams, '--request-count', requests,
               '--isl', 128, '--osl', events, '--artifact-dir', home + '/out']

    def said():
        with open(home + '/out/profile_export_aiperf.json') as file:
            report = json.load(file)
        return report['time_to_first_token']['avg'], report['request_count']['avg']
    return command, said


def inference_perf(_, python, url, streams, events, requests, home):
    config = {
        'api': {'type': 'completion', 'streaming': True},
        'data': {'type': 'shared_prefix',
                 'shared_prefix': {'num_groups': 1, 'num_prompts_per_group': requests, 'system_prompt_len': 8,
                                   'question_len': 120, 'output_len': events}},
        'load': {'type': 'concurrent', 'stages': [{'num_requests': requests, 'concurrency_level': streams}]},
        'server': {'type': 'vllm', 'model_name': 'mock', 'base_url': url, 'ignore_eos': True},
        'tokenizer': {'pretrained_model_name_or_path': home + '/tokenizer'},
        'storage': {'local_storage': {'path': home + '/out'}},
    }
    with open(home + '/config.yml', 'w') as file:
        json.dump(config, file)  # JSON is YAML

    def said():
        with open(home + '/out/summary_lifecycle_metrics.json') as file:
            successes = json.load(file)['successes']
        return successes['latency']['time_to_first_token']['mean'] * 1e3, successes['count']
    return [os.path.join(os.path.dirname(python), 'inference-perf'), '-c', home + '/config.yml'], said


TOOLS = {'tidemark': tidemark, 'aiperf': aiperf, 'inference-perf': inference_perf}


def run(settings, tool, python, load):
    streams, events, requests = load
    with tempfile.TemporaryDirectory() as home, machine(settings), NullServer(settings, DELAY_MS, ITL_MS) as server:
        if python:
            subprocess.run([python, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'make_tokenizer.py'),
                            home + '/tokenizer'], check=True, capture_output=True)
        command, said = TOOLS[tool](settings, python, server.url, streams, events, requests, home)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(('HF_', 'TIDEMARK_'))}
        with open(home + '/output', 'w') as output:
            began = time.monotonic_ns()
            child = subprocess.Popen([str(c) for c in command], stdout=output, stderr=output, env=environment, cwd=home)
            watch = Watch(child.pid)
            watch.start()
            child.wait(LIMIT_S)
        watch.over.set()
        watch.join()
        return row_of(tool, load, began, watch, read_send_log(server.log), said, home)


def row_of(tool, load, began, watch, log, said, home):
    streams, events, _ = load
    served = [each for each in log.values() if each[2]]
    try:
        ttft, count = said()
    except (OSError, KeyError, StopIteration):
        with open(home + '/output') as output:
            raise SystemExit(f'{tool} at {streams} streams made no result:\n{output.read()[-2000:]}')
    if not served:
        raise SystemExit(f'{tool} at {streams} streams: the server answered nothing')
    first, last = min(each[0] for each in log.values()), max(each[2] for each in served)
    sent = sum(len(each[1]) for each in log.values())
    cpu = watch.cpu_at(last) - watch.cpu_at(first)
    true_ttft = sum((each[1][0] - each[0]) / 1e6 for each in served) / len(served)
    return {'tool': tool, 'streams': streams, 'events': events, 'event_us': cpu * 1e6 / sent,
            'request_us': cpu * 1e6 * events / sent, 'events_s': sent / ((last - first) / 1e9), 'memory_mib': watch.memory,
            'ttft_said_ms': ttft, 'ttft_true_ms': true_ttft, 'requests': count, 'start_s': (first - began) / 1e9,
            'other_cpu_s': watch.samples[-1][1] - cpu}


def measure(settings, tools, load):
    runs = {tool: [] for tool in tools}
    for _ in range(settings.repeats):
        for tool, python in tools.items():
            runs[tool].append(run(settings, tool, python, load))
    rows = []
    for tool, each in runs.items():
        row = dict(each[0])
        row.update({key: median(each, key) for key, value in row.items() if isinstance(value, float)})
        rows.append(row)
    save(settings, 'peers', rows, ('tool', 'streams', 'events'))


def show_peers(rows):
    ours = {(r['streams'], r['events']): r for r in rows if r['tool'] == 'tidemark'}
    table = []
    for r in sorted(rows, key=lambda r: (-r['events'], r['streams'], r['tool'] != 'tidemark', r['tool'])):
        own = ours.get((r['streams'], r['events']), r)
        table.append([r['tool'], str(r['streams']), str(r['events']), r['events_s'] / 1e3, r['event_us'],
                      r['event_us'] / own['event_us'], r['request_us'] / 1e3, f"{r['ttft_said_ms']:.1f}",
                      f"{r['ttft_true_ms']:.1f}", r['memory_mib'], r['start_s'], r['other_cpu_s']])
    show('Peers, on one server (TTFT 100 ms, ITL 20 ms)',
         ['tool', 'streams', 'events', 'kev/s', 'CPU us/event', 'x ours', 'CPU ms/request', 'TTFT says', 'true', 'MiB',
          'start s', 'other CPU s'], table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--aiperf', help="python of AIPerf's environment")
    parser.add_argument('--inference-perf', help="python of inference-perf's environment")
    parser.add_argument('--build', default='build')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--streams', type=int, nargs='*')
    parser.add_argument('--lock')
    given = parser.parse_args()
    settings = Settings(given.build, given.lock, given.quick)
    tools = {'tidemark': None, 'aiperf': given.aiperf, 'inference-perf': given.inference_perf}
    tools = {tool: python for tool, python in tools.items() if python or tool == 'tidemark'}
    for load in LOADS:
        if not given.streams or load[0] in given.streams:
            measure(settings, tools, load)
    show_peers(saved(settings).get('peers', []))


if __name__ == '__main__':
    main()
