"""Strings statements of several clients together into a workload: the same seed gives the same workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.differential import changes, corpus_statements, definitions, maintenance, reads
from tests.differential.lake import Lake
from tests.differential.recipes import RECIPES
from tests.differential.statements import REATTACH, Statement, Workload

WRITERS = (definitions, changes, reads, maintenance)
"""The modules whose import fills the registry."""
MAKE_SNAPSHOTS = (definitions.__name__, changes.__name__)
LENGTHS = (15, 30, 30, 60)
ATTACH_OPTIONS = ("", "", "", *(f", DATA_INLINING_ROW_LIMIT {rows}" for rows in (0, 0, 1000)))
COMMIT_MESSAGE = "CALL lake.set_commit_message('Ada', 'it''s', extra_info => '')"
BEGIN_PROBABILITY = 0.12
REATTACH_PROBABILITY = 0.01
END_PROBABILITY = 0.25
CORPUS_STATEMENTS = 14
"""In a workload: with a thousand workloads, each of the corpus more than twenty times."""
STAY_PROBABILITY = 0.6
"""Of the next statement being the same client's."""


@dataclass(slots=True)
class Transaction:
    """An open transaction of a client: the lake when it began, and as the client sees it now."""

    before: Lake
    now: Lake


def workload(seed: int) -> Workload:
    """The workload of a seed."""
    random = Random(seed)
    clients = "abc"[: random.choice((1, 1, 2, 2, 3))]
    of_corpus = corpus_statements.share(seed, CORPUS_STATEMENTS)
    statements = tuple(_statements(random, clients, random.choice(LENGTHS), of_corpus))
    return Workload(statements, random.choice(ATTACH_OPTIONS))


def _statements(random: Random, clients: str, count: int, of_corpus: list[str]) -> Iterator[Statement]:
    lake = Lake()
    open_ones: dict[str, Transaction] = {}
    client = clients[0]
    for _ in range(count):
        if random.random() > STAY_PROBABILITY:
            client = random.choice(clients)
        yield from _step(random, client, lake, open_ones)
        if of_corpus and not open_ones and random.random() < CORPUS_STATEMENTS / count:
            yield _of_corpus(client, of_corpus)
    for client in sorted(open_ones):
        yield _end(random, client, lake, open_ones)
    while of_corpus:
        yield _of_corpus(client, of_corpus)
    yield Statement(client, REATTACH, "attach again")
    for name in sorted(lake.tables):
        yield Statement(client, f"SELECT rowid, * FROM {name}", "read")


def _of_corpus(client: str, names: list[str]) -> Statement:
    return Statement(client, corpus_statements.PREFIX + names.pop(), corpus_statements.KIND)


def _step(random: Random, client: str, lake: Lake, open_ones: dict[str, Transaction]) -> Iterator[Statement]:
    """The client's next statement, in its transaction if it has one."""
    transaction = open_ones.get(client)
    if transaction is None and random.random() < BEGIN_PROBABILITY:
        open_ones[client] = Transaction(lake.copy(), lake.copy())
        yield Statement(client, "BEGIN", "begin")
        return
    if transaction is not None and random.random() < END_PROBABILITY:
        yield _end(random, client, lake, open_ones)
        return
    if transaction is not None and random.random() < 0.08:
        yield Statement(client, COMMIT_MESSAGE, "set_commit_message")
    if transaction is None and random.random() < REATTACH_PROBABILITY:
        yield Statement(client, REATTACH, "attach again")
    seen = transaction.now if transaction else lake
    names = lake.names
    seen.names = max(seen.names, names)
    inside, alone = transaction is not None, not open_ones
    fitting = [recipe for recipe in RECIPES if recipe.fits(seen, in_transaction=inside, alone=alone)]
    if not seen.tables:
        fitting = [recipe for recipe in fitting if recipe.kind.startswith("create table")]
    (chosen,) = random.choices(fitting, [recipe.weight for recipe in fitting])
    yield Statement(client, chosen.write(random, seen), chosen.kind)
    lake.names = seen.names
    if transaction is None and chosen.write.__module__ in MAKE_SNAPSHOTS:
        lake.versions += 1


def _end(random: Random, client: str, lake: Lake, open_ones: dict[str, Transaction]) -> Statement:
    transaction = open_ones.pop(client)
    if random.random() < 0.3:
        return Statement(client, "ROLLBACK", "rollback")
    lake.adopt(transaction.before, transaction.now)
    lake.versions += 1
    return Statement(client, "COMMIT", "commit")
