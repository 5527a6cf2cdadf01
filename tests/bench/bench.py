#!/usr/bin/env python3
"""./dev bench: what the engine costs beside the cheapest client there can be, and how true its times are.

Both run against `tidemark-sim --null` in one go: client on core 0, server on core 1, median of 3 runs that take turns.
Parts: cost, saturation, accuracy, truth (all when none is named); peers is peers/peers.py. Each part writes its rows
into build/bench.json and prints its table; `--quick` makes one run of each at fewer loads.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_run import (NullServer, Settings, machine, median, pinned, quantile, read_send_log, run_client,  # noqa: E402
                       system_calls, CLIENT_CORE, RUN_LIMIT_S)

CLIENTS = {'epoll': 'epoll_client', 'engine': 'engine_bench'}
EVENTS_A_SECOND = 60_000
LONG = 1_000_000     # tokens of an answer that no window sees the end of
SHORT = 8
REQUESTS_A_SECOND = 4_000
STARTS_A_SECOND = 2_000  # of the ramp whose lateness is measured


def levels(settings):
    return [64, 1_000, 10_000] if settings.quick else [64, 1_000, 5_000, 10_000, 19_000]


def gap_ms(streams):
    return round(max(20, streams * 1e3 / EVENTS_A_SECOND), 2)


def number(cell):
    """Three figures that count, never as a power of ten."""
    if cell is None or isinstance(cell, str):
        return cell or '-'
    if abs(cell) >= 100:
        return f'{cell:,.0f}'
    return f'{cell:.1f}' if abs(cell) >= 10 else f'{cell:.2f}' if abs(cell) >= 0.01 or cell == 0 else f'{cell:.5f}'.rstrip('0').rstrip('.')


def show(title, header, rows):
    """A table that is Markdown too."""
    table = [header] + [[number(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    table.insert(1, ['-' * (width - 1) + ':' for width in widths])
    print(f'\n{title}\n')
    for row in table:
        print('| ' + ' | '.join(cell.rjust(width) for cell, width in zip(row, widths)) + ' |')
    sys.stdout.flush()


def long_run(settings, client, streams, gap=None, watched=False):
    """Streams whose end no window sees: what an event costs. `watched`: also the system calls, after a slower ramp."""
    ramp = max(0.5, streams / (STARTS_A_SECOND if watched else 5_000))
    settle, window = 1.0, 3.0 if watched else 2.0
    flags = ['--streams', streams, '--output-tokens', LONG, '--ramp-s', ramp, '--settle-s', settle, '--window-s', window]
    during = system_calls(2, ramp + settle + 0.7) if watched else None
    with machine(settings), NullServer(settings, 100, gap or gap_ms(streams)) as server:
        return run_client(settings, server, CLIENTS[client], flags, during)


def short_run(settings, client, streams):
    """Answers of 8 events, 4,000 requests a second in all."""
    cycle = streams / REQUESTS_A_SECOND
    gap = round(cycle * 1e3 / SHORT, 3)
    flags = ['--streams', streams, '--output-tokens', SHORT, '--ramp-s', cycle, '--settle-s', 0.5, '--window-s', 2]
    with machine(settings), NullServer(settings, gap, gap) as server:
        return run_client(settings, server, CLIENTS[client], flags)


def plain_run(settings, client, streams):
    """As many events a second as in short_run, without requests: their difference is what requests cost."""
    return long_run(settings, client, streams, round(streams * 1e3 / (REQUESTS_A_SECOND * SHORT), 3))


def cost_row(settings, client, streams, runs):
    long, short = runs[client, 'long'], runs[client, 'short']
    watched = long_run(settings, client, streams, watched=True)
    event_us = median(long, lambda r: r['cpu_s'] * 1e6 / r['events'])
    plain_us = median(runs[client, 'plain'], lambda r: r['cpu_s'] * 1e6 / r['events'])
    request_us = median(short, lambda r: r['cpu_s'] * 1e6 / r['requests'])
    return {
        'client': client, 'streams': streams,
        'event_us': event_us,
        'busy': median(long, lambda r: r['cpu_s'] / r['window_s']),
        'events_s': median(long, lambda r: r['events'] / r['window_s']),
        'request8_us': request_us,
        'request_overhead_us': median(short, lambda r: (r['cpu_s'] * 1e6 - r['events'] * plain_us) / r['requests']),
        'requests_s': median(short, lambda r: r['requests'] / r['window_s']),
        'calls_event': watched['during'] and watched['during'] * watched['window_s'] / watched['events'],
        'allocations_event': median(long, lambda r: r['allocations'] / r['events']),
        'allocations_request': median(short, lambda r: r['allocations'] / r['requests']),
        'stream_kib': median(long, 'stream_kib'),
        'start_late_us': watched.get('start_late_us', {}),
        'server_late_p99_us': median(long, lambda r: r['server_late_us']['p99']),
        'failed': sum(r.get('self_check', {}).get('sockets', streams) != streams for r in long),
    }


def cost(settings, only):
    rows = []
    for streams in only or levels(settings):
        runs = {(client, kind): [] for client in CLIENTS for kind in ('long', 'short', 'plain')}
        for _ in range(settings.repeats):
            with machine(settings):
                for client in CLIENTS:
                    runs[client, 'long'].append(long_run(settings, client, streams))
                    runs[client, 'short'].append(short_run(settings, client, streams))
                    runs[client, 'plain'].append(plain_run(settings, client, streams))
        with machine(settings):
            rows += [cost_row(settings, client, streams, runs) for client in CLIENTS]
        save(settings, 'cost', rows[-2:], ('client', 'streams'))
    return rows


def show_cost(rows):
    at = {(row['client'], row['streams']): row for row in rows}
    table = []
    for row in rows:
        limit = at.get(('epoll', row['streams']), row)
        late = row['start_late_us'] or {'p50': None, 'p99': None}
        table.append([row['client'], str(row['streams']), row['events_s'] / 1e3, 100 * row['busy'], row['event_us'],
                      row['event_us'] / limit['event_us'], row['request8_us'], row['request_overhead_us'],
                      row['calls_event'], row['allocations_event'], row['allocations_request'], row['stream_kib'],
                      late['p50'], late['p99'], row['server_late_p99_us']])
    show('Cost (long streams; requests of 8 events at 4,000/s; starts at 2,000/s)',
         ['client', 'streams', 'kev/s', 'core %', 'us/event', 'ratio', 'us/req of 8', 'us/req beside', 'calls/event',
          'allocs/event', 'allocs/req', 'KiB/stream', 'start p50 us', 'p99', 'server late p99'], table)


def saturation(settings, _):
    """More is sent than a core can take."""
    rows = []
    for client in CLIENTS:
        runs = []
        for _ in range(settings.repeats):
            flags = ['--streams', 1000, '--output-tokens', LONG, '--ramp-s', 1, '--settle-s', 1, '--window-s', 3]
            with machine(settings), NullServer(settings, 100, 5) as server:
                runs.append(run_client(settings, server, CLIENTS[client], flags))
        rows.append({'client': client, 'events_s': median(runs, lambda r: r['events'] / r['window_s']),
                     'busy': median(runs, lambda r: r['cpu_s'] / r['window_s']),
                     'events_core_s': median(runs, lambda r: r['events'] / r['cpu_s'])})
    save(settings, 'saturation', rows, ('client',))
    return rows


def show_saturation(rows):
    show('Saturation (1,000 streams, 200,000 events/s asked of the server)',
         ['client', 'kev/s', 'core %', 'kev a core-second'],
         [[r['client'], r['events_s'] / 1e3, 100 * r['busy'], r['events_core_s'] / 1e3] for r in rows])


# So many that the gaps of a stream stay far above any delay: a read that holds two of its tokens says nothing.
ACCURACY_STREAMS, ACCURACY_TOKENS = 5000, 32
SERVER_EVENTS_A_SECOND = 120_000  # more it does not send in time


def accuracy_run(settings, client, gap, user):
    cycle = 0.1 + (ACCURACY_TOKENS - 1) * gap / 1e3
    # Only requests that end in the window are compared, and each must have begun while the level measured.
    flags = ['--streams', ACCURACY_STREAMS, '--output-tokens', ACCURACY_TOKENS, '--window-s', round(cycle + 2, 1)]
    flags += ['--ramp-s', round(cycle, 2)]
    with tempfile.TemporaryDirectory() as records:
        if client == 'epoll':
            flags += ['--times', '--settle-s', 1]
        else:
            flags += ['--warm', '--records', records, '--record-one-in', 8] + (['--user-timestamps'] if user else [])
        with machine(settings), NullServer(settings, 100, round(gap, 3)) as server:
            return run_client(settings, server, CLIENTS[client], flags)


def gap_for(settings, client, share):
    """The inter-token time at which the client uses that share of its core, by trial: it bends with batching."""
    least = ACCURACY_STREAMS * 1e3 / SERVER_EVENTS_A_SECOND
    gap = 2 * least
    for _ in range(3):
        run = accuracy_run(settings, client, gap, False)
        busy = run['cpu_s'] / run['window_s']
        if abs(busy - share) < 0.03:
            break
        gap = max(least, gap * busy / share)
    return gap


def accuracy(settings, _):
    rows = []
    for client in CLIENTS:
        for share in (0.5, 0.85):
            with machine(settings):
                gap = gap_for(settings, client, share)
            for stamps in ('kernel', 'user'):
                with machine(settings):
                    runs = [accuracy_run(settings, client, gap, stamps == 'user') for _ in range(settings.repeats)]
                row = {'client': client, 'share': share, 'stamps': stamps, 'gap_ms': gap,
                       'busy': median(runs, lambda r: r['cpu_s'] / r['window_s']),
                       'events_s': median(runs, lambda r: r['events'] / r['window_s']),
                       'compared': sum(r[stamps]['compared'] for r in runs),
                       'unmatched': sum(r[stamps]['unmatched'] for r in runs),
                       'left_out': sum(r['left_out'] for r in runs)}
                for metric in ('ttft_error_us', 'itl_error_us'):
                    row[metric] = {q: median(runs, lambda r: r[stamps][metric][q]) for q in ('p50', 'p99', 'max')}
                rows.append(row)
                save(settings, 'accuracy', [row], ('client', 'share', 'stamps'))
    return rows


def show_accuracy(rows):
    show("Error of times against the server's send log (us; 5,000 streams, answers of 32 events)",
         ['client', 'stamps', 'core %', 'kev/s', 'ITL p50', 'p99', 'max', 'TTFT p50', 'p99', 'max', 'requests', 'left out'],
         [[r['client'], r['stamps'], 100 * r['busy'], r['events_s'] / 1e3]
          + [r[metric][q] for metric in ('itl_error_us', 'ttft_error_us') for q in ('p50', 'p99', 'max')]
          + [str(r['compared']), str(r['left_out'])] for r in rows])


def true_times(log_path, folder):
    """TTFT, ITL and latency (ms) by the send log, of the requests that started while the level measured."""
    offset = time.monotonic_ns() - time.time_ns()
    starts = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name, 'profile_export.jsonl')
        if os.path.exists(path):
            with open(path) as file:
                starts += [json.loads(line)['metadata']['request_start_ns'] + offset for line in file]
    first, last = min(starts), max(starts) + 1_000_000
    ttft, itl, latency = [], [], []
    for read, sends, end in read_send_log(log_path).values():
        if not first <= read <= last or not end:
            continue
        ttft.append((sends[0] - read) / 1e6)
        latency.append((sends[-1] - read) / 1e6)
        itl.append((sends[-1] - sends[0]) / 1e6 / (len(sends) - 1))
    return {'time_to_first_token': sorted(ttft), 'inter_token_latency': sorted(itl), 'request_latency': sorted(latency)}


def truth_row(streams, level, true):
    row = {'streams': streams, 'requests': level['measured']['ok'], 'failed': level['measured']['failed'],
           'validity': level['validity'].replace('VALIDITY_', ''),
           'why': [c['advice'] or c['measure'] for c in level['validity_checks'] if c['state'] != 'VALID']}
    within = True
    for metric in level['metrics']:
        if metric['tag'] not in true:
            continue
        values = true[metric['tag']]
        said = {'mean': metric['avg'], **{f'p{round(q["p"] * 100)}': q['value'] for q in metric['quantiles']
                                         if q['p'] in (0.5, 0.99)}}
        truth = {'mean': sum(values) / len(values), 'p50': quantile(values, 0.5), 'p99': quantile(values, 0.99)}
        row[metric['tag']] = {key: {'said': said[key], 'true': truth[key]} for key in truth}
        within = within and all(abs(said[k] - truth[k]) <= max(0.2, 0.01 * truth[k]) for k in truth)
    row['within'] = within
    return row


def truth(settings, only):
    """`tidemark sweep` itself, on a server of fixed delays."""
    rows = []
    for streams in only or ([64, 1000] if settings.quick else [64, 1000, 5000, 10000]):
        tokens = 64 if streams <= 1000 else 32
        gap = gap_ms(streams)
        requests = max(2 * streams, 640)
        with tempfile.TemporaryDirectory() as home, machine(settings), NullServer(settings, 100, gap) as server:
            command = [os.path.join(settings.bin, 'tidemark'), 'sweep', '--url', server.url, '--concurrency', streams,
                       '--request-count', requests, '--isl', 128, '--osl', tokens, '--output-dir', home + '/result',
                       '--export-records', 'all'][:None if supports_records(settings) else -2]
            began = time.monotonic_ns()
            subprocess.run(pinned(settings, CLIENT_CORE, command), capture_output=True, timeout=RUN_LIMIT_S)
            log = read_send_log(server.log)
            first = min(each[0] for each in log.values())
            with open(home + '/result/result.json') as file:
                level = json.load(file)['levels'][0]
            row = truth_row(streams, level, true_times(server.log, home + '/result'))
            row.update(gap_ms=gap, start_s=(first - began) / 1e9)
            if streams == 64:
                row['pause_s'] = pause_between_levels(settings)
            rows.append(row)
            save(settings, 'truth', [row], ('streams',))
    return rows


def pause_between_levels(settings):
    """Seconds in which no request was under way between two levels of one sweep."""
    with tempfile.TemporaryDirectory() as home, machine(settings), NullServer(settings, 100, 20) as server:
        command = [os.path.join(settings.bin, 'tidemark'), 'sweep', '--url', server.url, '--concurrency', '64,65',
                   '--request-count', 128, '--isl', 128, '--osl', 16, '--output-dir', home + '/result']
        subprocess.run(pinned(settings, CLIENT_CORE, command), capture_output=True, timeout=RUN_LIMIT_S)
        spans = sorted((read, end or sends[-1]) for read, sends, end in read_send_log(server.log).values() if sends)
    probe, *spans = spans
    last, longest = spans[0][1], 0
    for read, end in spans:
        longest = max(longest, read - last)
        last = max(last, end)
    return longest / 1e9


def supports_records(settings):
    help_text = subprocess.run([os.path.join(settings.bin, 'tidemark'), 'sweep', '--help'], capture_output=True, text=True)
    return '--export-records' in help_text.stdout


def show_truth(rows):
    table = []
    for row in rows:
        for tag in ('time_to_first_token', 'inter_token_latency', 'request_latency'):
            cells = [f'{row[tag][k]["said"]:.2f} ({row[tag][k]["true"]:.2f})' for k in ('mean', 'p50', 'p99')]
            table.append([str(row['streams']), tag] + cells + ['yes' if row['within'] else 'NO', row['validity']])
    show('Truth: what `tidemark sweep` says (and the send log), ms', ['streams', 'metric', 'mean', 'p50', 'p99', 'within 1 % or 0.2 ms', 'validity'], table)
    for row in rows:
        pause = f"; between two levels {row['pause_s']:.2f} s" if 'pause_s' in row else ''
        print(f"  {row['streams']} streams: command to first request {row['start_s']:.2f} s{pause}; {'; '.join(row['why'])}")


PARTS = {'cost': (cost, show_cost), 'saturation': (saturation, show_saturation), 'accuracy': (accuracy, show_accuracy),
         'truth': (truth, show_truth)}


def saved(settings):
    path = os.path.join(settings.build, 'bench.json')
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def save(settings, part, rows, key):
    """Puts rows into build/bench.json in place of older ones of the same key."""
    everything = saved(settings)
    kept = [old for old in everything.get(part, []) if all([old[k] for k in key] != [new[k] for k in key] for new in rows)]
    everything[part] = kept + rows
    with open(os.path.join(settings.build, 'bench.json'), 'w') as file:
        json.dump(everything, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*', metavar='PART', help='cost, saturation, accuracy, truth, or show: the last tables')
    parser.add_argument('--build', default='build')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--streams', type=int, nargs='*', help='only these loads')
    parser.add_argument('--lock', help='a file to hold an exclusive lock on while something runs')
    parser.add_argument('--first', action='store_true',
                        help='client and server go before whatever else runs (SCHED_FIFO): for a machine that is not idle')
    given = parser.parse_args()
    settings = Settings(given.build, given.lock, given.quick, given.first)
    if given.parts == ['show']:
        for part, rows in saved(settings).items():
            if part in PARTS:
                PARTS[part][1](rows)
        return
    for part in given.parts or PARTS:
        if part not in PARTS:
            parser.error(f'"{part}" is no part: give {", ".join(PARTS)} or show')
        measure, tell = PARTS[part]
        tell(measure(settings, given.streams))


if __name__ == '__main__':
    main()
