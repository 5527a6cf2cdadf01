"""What every measurement of ./dev bench needs: the null endpoint, pinned programs, and its send log."""
import array
import contextlib
import fcntl
import json
import os
import shutil
import statistics
import struct
import subprocess
import tempfile
import time

CLIENT_CORE, SERVER_CORE = 0, 1
RUN_LIMIT_S = 85


class Settings:
    """Where the programs are, and how they are to be run."""

    def __init__(self, build, lock=None, quick=False, first=False):
        self.build = os.path.abspath(build)
        self.bin = os.path.join(self.build, 'bin')
        self.lock = lock  # a file held while something is measured, for machines on which others build
        self.held = 0
        self.first = first  # before whatever else runs on the machine
        self.quick = quick
        self.repeats = 1 if quick else 3


@contextlib.contextmanager
def machine(settings):
    """Nobody who honours the lock runs meanwhile. Blocks may stand in each other: the outermost takes it."""
    if not settings.lock or settings.held:
        yield
        return
    with open(settings.lock, 'a') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        settings.held += 1
        try:
            yield
        finally:
            settings.held -= 1


def pinned(settings, core, command):
    return (['chrt', '-f', '10'] if settings.first else []) + ['taskset', '-c', str(core)] + [str(each) for each in command]


class NullServer:
    """tidemark-sim --null on its own core, with a send log. Ends with the block."""

    def __init__(self, settings, delay_ms, itl_ms):
        self.folder = tempfile.mkdtemp(prefix='tidemark-bench-')
        self.log = os.path.join(self.folder, 'sent')
        self.process = subprocess.Popen(
            pinned(settings, SERVER_CORE, [os.path.join(settings.bin, 'tidemark-sim'), '--null', '--exit-with-parent', '--listen',
                                 '127.0.0.1:0', '--delay-ms', delay_ms, '--itl-ms', itl_ms, '--model', 'mock', '--send-log', self.log]),
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if 'listening on' not in line:
            raise SystemExit('tidemark-sim --null did not start')
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(':', 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()
        shutil.rmtree(self.folder)


def run_client(settings, server, name, flags, during=None):
    """One of the two clients, to its line of JSON. `during` is called with its pid once it runs."""
    command = [os.path.join(settings.bin, name), '--port', server.port, '--send-log', server.log] + flags
    child = subprocess.Popen(pinned(settings, CLIENT_CORE, command), stdout=subprocess.PIPE, text=True)
    extra = during(child.pid) if during else None
    out, _ = child.communicate(timeout=RUN_LIMIT_S)
    if child.returncode != 0:
        raise SystemExit(f'{" ".join(map(str, command))}: exit code {child.returncode}')
    report = json.loads(out)
    if extra is not None:
        report['during'] = extra
    return report


def system_calls(seconds, after_s):
    """A `during` for run_client: system calls a second, counted by perf in a window after `after_s`; None without perf."""
    def count(pid):
        time.sleep(after_s)
        command = ['perf', 'stat', '-x,', '-e', 'raw_syscalls:sys_enter', '-p', str(pid), '--', 'sleep', str(seconds)]
        try:
            end = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 20)
        except FileNotFoundError:
            return None
        for line in end.stderr.splitlines():
            fields = line.split(',')
            if len(fields) > 2 and fields[2].startswith('raw_syscalls') and fields[0].isdigit():
                return int(fields[0]) / seconds
        return None
    return count


def median(rows, key):
    """Median of key (a name or a function) over the rows that have it; None when none has."""
    read = key if callable(key) else (lambda row: row.get(key))
    values = [value for value in map(read, rows) if value is not None]
    return statistics.median(values) if values else None


def read_send_log(path):
    """{(connection, request): (read_ns, [send_ns of each token], end_ns)} of simulator/send_log.h's format."""
    record = struct.Struct('<qIIiI')
    with open(path, 'rb') as file:
        data = file.read()
    magic, version, size, _, _, _ = struct.unpack_from('<8sIIqq16s', data)
    if magic != b'TIDESEND' or version != 1 or size != record.size:
        raise SystemExit(f'{path}: no send log of version 1')
    requests = {}
    for time_ns, connection, request, event, _ in record.iter_unpack(data[48:len(data) // 24 * 24]):
        if time_ns == 0:
            break
        if event == -1:
            requests[connection, request] = [time_ns, array.array('q'), 0]
        elif event == -2:
            requests[connection, request][2] = time_ns
        else:
            requests[connection, request][1].append(time_ns)
    return requests


def quantile(ordered, q):
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def tree_cpu(pid, ended):
    """CPU seconds of a process tree: `ended` keeps the last reading of each process, also of those that are gone."""
    ticks = os.sysconf('SC_CLK_TCK')
    parents = {}
    for name in os.listdir('/proc'):
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/stat') as file:
                fields = file.read().rsplit(')', 1)[1].split()
            with open(f'/proc/{name}/statm') as file:
                pages = int(file.read().split()[1])
        except (OSError, IndexError):
            continue
        parents[int(name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks, pages * 4 / 1024)
    memory = 0
    for each, (_, cpu, mib) in parents.items():
        ancestor = each
        while ancestor in parents and ancestor != pid:
            ancestor = parents[ancestor][0]
        if ancestor == pid:
            ended[each] = max(cpu, ended.get(each, 0))
            memory += mib
    return sum(ended.values()), memory
