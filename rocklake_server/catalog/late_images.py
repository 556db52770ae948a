"""A root's images after a commit. No commit waits for them: little is made in a quiet moment or when somebody asks for
it, much in the background from the answer on, in slices, and who asks for it waits until it is there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from typing import TypeAlias

from rocklake_server.catalog.image import RelationImage
from rocklake_server.catalog.relations import row_transform
from rocklake_server.catalog.root import NO_IMAGE, LateChanges, Root
from rocklake_server.catalog.validation import Working
from rocklake_server.pacing import in_slices

logger = logging.getLogger(__name__)

LATE_ROWS_MAX = 64
LATE_COMMITS_MAX = 16
"""Changes of one relation up to which its image waits for a quiet moment."""

PAUSE_S = 0.001
"""How long after a commit the making of images waits, for the answer to be sent first: the least that a timer of the
event loop can wait."""

Step: TypeAlias = Callable[[RelationImage], RelationImage]


def give_images(root: Root, before: Root, working: Working) -> None:
    """Give ``root`` the images that ``before`` has, with the group's changes: late where they are few, and else coming.
    To be called on the event loop, in the turn in which ``root`` is published."""
    known = root.relations.by_id
    root.images = {i: image for i, image in before.images.items() if i in known}
    root.late = {i: changes for i, changes in before.late.items() if i in root.images}
    for relation_id in known.keys() - before.relations.by_id.keys() - working.returned:
        root.images[relation_id] = RelationImage(complete=True)
    steps = _steps(working)
    for relation_id in steps.keys() & root.images.keys():
        if not _can_wait(root, relation_id, working):
            image = before.image(relation_id) if relation_id in before.images else root.images[relation_id]
            _begin(root, relation_id, image, steps[relation_id])
    for relation_id in before.coming.keys() & known.keys():
        _begin(root, relation_id, before.coming[relation_id], steps.get(relation_id, ()))


def _steps(working: Working) -> dict[int, list[Step]]:
    """What the group does to each image, in order: a new shape first, since its changes have it already."""
    steps: dict[int, list[Step]] = {}
    for relation_id, (old, new) in working.altered.items():
        steps[relation_id] = [methodcaller("transform", row_transform(old, new))]
    for relation_id, changes in working.changes.items():
        steps.setdefault(relation_id, []).append(methodcaller("apply", changes))
    return steps


def _can_wait(root: Root, relation_id: int, working: Working) -> bool:
    """Make the changes late ones, if they are few and in the shape that the image has."""
    if relation_id in working.altered:
        return False
    waiting = (*root.late.get(relation_id, ()), working.changes[relation_id])
    if len(waiting) > LATE_COMMITS_MAX or _rows(waiting) > LATE_ROWS_MAX:
        return False
    root.late[relation_id] = waiting
    return True


def _rows(changes: LateChanges) -> int:
    return sum([len(rows) for each in changes for rows in each.values()])


def _begin(
    root: Root, relation_id: int, source: RelationImage | asyncio.Task[RelationImage], steps: Sequence[Step]
) -> None:
    root.images.pop(relation_id, None)
    root.late.pop(relation_id, None)
    root.coming[relation_id] = asyncio.create_task(_make(root, relation_id, source, steps))


async def _make(
    root: Root, relation_id: int, source: RelationImage | asyncio.Task[RelationImage], steps: Sequence[Step]
) -> RelationImage:
    """The image, which ``root`` has from then on; nothing of it when that fails, so that it loads from the store."""
    try:
        await asyncio.sleep(PAUSE_S)
        image = await asyncio.shield(source) if isinstance(source, asyncio.Task) else source
        for step in steps:
            image = await in_slices(partial(step, image))
    except Exception:
        logger.exception("cannot bring an image up to date; it loads again from the store")
        image = NO_IMAGE
    root.images[relation_id] = image
    del root.coming[relation_id]
    return image
