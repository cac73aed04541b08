"""Long runs: threads, progress, and ways to stop them."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import kappax as kx

TABLE = np.random.default_rng(0).integers(0, 5, (4000, 6))
FOREVER = kx.Bootstrap(5_000_000, seed=1)


def many_distinct(n_units):
    return np.random.default_rng(0).random((n_units, 4)) + 1


def many_raters(n_units, n_raters):
    return np.random.default_rng(0).integers(0, 2, (n_units, n_raters))


class Stop(Exception):
    pass


def interrupt_soon(after):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.skipif(os.name == "nt", reason="needs a signal that the process can send to itself")
@pytest.mark.parametrize(
    "work",
    [
        lambda: kx.krippendorff_alpha(TABLE, "ordinal", ci=FOREVER),
        lambda: kx.krippendorff_alpha(TABLE, ci=FOREVER, n_threads=1),
        lambda: kx.krippendorff_alpha(many_distinct(30_000), "radical"),
        lambda: kx.cross_kappa(many_distinct(6000), many_distinct(6000), "radical", ci=FOREVER),
        lambda: kx.split_half_reliability(TABLE, n_halvings=5_000_000, seed=1),
        lambda: kx.light_kappa(many_raters(1000, 250)),
    ],
    ids=["bootstrap", "one thread", "one long sum", "long sums in a bootstrap", "halvings", "pairs of raters"],
)
def test_control_c_stops_soon(work):
    timer = interrupt_soon(0.7)
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    assert time.perf_counter() - start < 0.7 + 2.0  # the aim is 0.2 s; a busy machine gets its time


def test_a_callback_that_raises_ends_the_run_with_its_exception():
    def progress(done, total):
        assert 0 <= done <= total == FOREVER.n_resamples
        if done > 0:
            raise Stop(done)

    with pytest.raises(Stop):
        kx.krippendorff_alpha(TABLE, ci=FOREVER, progress=progress)


@pytest.mark.parametrize("n_resamples", [1, 10, 20_000])
def test_progress_ends_at_the_total(n_resamples):
    calls = []
    kx.krippendorff_alpha(
        TABLE, ci=kx.Bootstrap(n_resamples, seed=1), progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1] == (n_resamples, n_resamples)
    assert calls == sorted(calls)


def test_other_threads_run_meanwhile():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    kx.krippendorff_alpha(TABLE, "ordinal", ci=kx.Bootstrap(3000, seed=1))
    during = counted[0]
    done.set()
    thread.join()
    assert during > 10


def test_calls_from_several_threads_do_not_meet():
    expected = kx.krippendorff_alpha(TABLE, ci=kx.Bootstrap(500, seed=1)).replicates.tobytes()
    found = []

    def call():
        found.append(kx.krippendorff_alpha(TABLE, ci=kx.Bootstrap(500, seed=1)).replicates.tobytes())

    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_compute():
    kx.krippendorff_alpha(TABLE, ci=kx.Bootstrap(2000, seed=1))
    child = os.fork()
    if child == 0:
        kx.krippendorff_alpha(TABLE, ci=kx.Bootstrap(2000, seed=1))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("function", [kx.iota, kx.conger_kappa])
def test_many_raters_take_no_longer_than_their_ratings(function):
    """An estimate needs a few looks at each rating, however many raters there are."""
    start = time.perf_counter()
    function(many_raters(300, 1000))
    assert time.perf_counter() - start < 8  # a cubic way takes minutes
