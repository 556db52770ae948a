"""Roles as members of others: who holds what a group role was granted (PostgreSQL manual, Role Membership)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Member(Protocol):
    @property
    def member_of(self) -> frozenset[str]: ...


def roles_of(roles: Mapping[str, Member], name: str) -> frozenset[str]:
    """``name`` and every role that it is a member of, also through others."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        each = ahead.pop()
        if each in roles and each not in found:
            found.add(each)
            ahead.extend(roles[each].member_of)
    return frozenset(found)
