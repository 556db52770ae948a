"""A root's images after a commit: what the commit changed in them is made at once, or late where it is little."""

from __future__ import annotations

from functools import partial

from rocklake_server.catalog.image import RelationImage
from rocklake_server.catalog.relations import row_transform
from rocklake_server.catalog.root import LateChanges, Root
from rocklake_server.catalog.validation import Working
from rocklake_server.pacing import in_slices

LATE_ROWS_MAX = 64
LATE_COMMITS_MAX = 16
"""Changes of one relation up to which its image waits for a quiet moment."""


def _rows(changes: LateChanges) -> int:
    return sum([len(rows) for each in changes for rows in each.values()])


async def images_after(root: Root, working: Working) -> tuple[dict[int, RelationImage], dict[int, LateChanges]]:
    """The images that ``root`` has with the group's changes: made, or late where they are few."""
    images = {i: image for i, image in root.images.items() if i in working.relations.by_id}
    late = {i: changes for i, changes in root.late.items() if i in images}

    def settle(relation_id: int) -> RelationImage:
        late.pop(relation_id, None)
        return root.image(relation_id)

    for relation_id, (old, new) in working.altered.items():
        if relation_id in images:
            images[relation_id] = await in_slices(partial(settle(relation_id).transform, row_transform(old, new)))
    for relation_id in working.relations.by_id.keys() - root.relations.by_id.keys() - working.returned:
        images[relation_id] = RelationImage(complete=True)
    for relation_id, changes in working.changes.items():
        if relation_id not in images:
            continue
        waiting = (*late.get(relation_id, ()), changes)
        if len(waiting) <= LATE_COMMITS_MAX and _rows(waiting) <= LATE_ROWS_MAX:
            late[relation_id] = waiting
        else:
            base = images[relation_id] if relation_id in working.altered else settle(relation_id)
            images[relation_id] = await in_slices(partial(base.apply, changes))
    return images, late
