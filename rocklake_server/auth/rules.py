"""Who may connect from where, and how: rules in the format of PostgreSQL's pg_hba.conf, or the part of it that is safe.

A line is ``type database user address method [clientcert=...]``. The first rule that fits a connection decides. Source:
PostgreSQL manual, "The pg_hba.conf File".
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from rocklake_server.errors import InvalidParameterValue

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_UNSUPPORTED = frozenset({"samerole", "samegroup", "replication"})


class Transport(Enum):
    """A rule's type: connections of which kind it is about."""

    ANY = "host"
    TLS = "hostssl"
    PLAIN = "hostnossl"


class Method(Enum):
    TRUST = "trust"
    REJECT = "reject"
    SCRAM = "scram-sha-256"
    PASSWORD = "password"
    CERTIFICATE = "cert"


class ClientCertificate(Enum):
    """What is asked of the client's certificate beside the method."""

    VERIFY_CA = "verify-ca"
    VERIFY_FULL = "verify-full"


@dataclass(frozen=True, slots=True)
class Connection:
    """What rules look at. Addresses are as sockets print them."""

    is_encrypted: bool
    database: str
    user: str
    address: str
    server_address: str


@dataclass(frozen=True, slots=True)
class Rule:
    """``databases``, ``users`` and ``networks`` are ``None`` for all; ``same_user`` and ``same_host`` add the database
    of the user's name and the server's own addresses. ``place`` is for messages."""

    transport: Transport
    databases: frozenset[str] | None
    users: frozenset[str] | None
    networks: tuple[IPNetwork, ...] | None
    method: Method
    same_user: bool = False
    same_host: bool = False
    certificate: ClientCertificate | None = None
    place: str = ""

    @property
    def needs_certificate(self) -> bool:
        return self.method is Method.CERTIFICATE or self.certificate is not None

    def fits(self, connection: Connection) -> bool:
        if self.transport is not Transport.ANY and (self.transport is Transport.TLS) != connection.is_encrypted:
            return False
        is_own = self.same_user and connection.database == connection.user
        if not (self.databases is None or connection.database in self.databases or is_own):
            return False
        return (self.users is None or connection.user in self.users) and self._fits_address(connection)

    def _fits_address(self, connection: Connection) -> bool:
        if self.networks is None:
            return True
        address = plain_address(connection.address)
        if address is None:
            return False
        is_here = is_own_machine(connection.address) or address == plain_address(connection.server_address)
        if self.same_host and is_here:
            return True
        return any(address in network for network in self.networks)


def matching_rule(rules: Sequence[Rule], connection: Connection) -> Rule | None:
    """The first that fits."""
    return next((rule for rule in rules if rule.fits(connection)), None)


@lru_cache(maxsize=1024)
def plain_address(text: str) -> IPAddress | None:
    """An address without zone; an IPv4 address that comes as an IPv6 one is an IPv4 address."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found


@lru_cache(maxsize=1024)
def is_own_machine(text: str) -> bool:
    """Whether ``text`` is an address of the loopback interface."""
    address = plain_address(text)
    return address is not None and address.is_loopback


def parse_rules(text: str, source: str) -> tuple[Rule, ...]:
    """The rules of a file. Raises InvalidParameterValue, naming ``source`` and the line."""
    rules: list[Rule] = []
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{source}, line {number}"
        fields = _fields(line, place)
        if fields:
            rules.append(_rule(fields, place))
    if not rules:
        raise InvalidParameterValue(f"{source} has no rules: nobody could connect")
    return tuple(rules)


class _Word(NamedTuple):
    """A part of a field. Within quotes no word has a meaning of its own."""

    text: str
    is_quoted: bool

    def means(self, keyword: str) -> bool:
        return self.text == keyword and not self.is_quoted


_TOKEN = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<comma>,)|(?P<comment>#.*)|(?P<word>[^\s",#]+)|(?P<open>"))')


def _fields(line: str, place: str) -> list[tuple[_Word, ...]]:
    """White space ends a field, a comma one of its parts, quotes keep both; # begins a comment."""
    fields: list[tuple[_Word, ...]] = []
    goes_on = False
    for found in _TOKEN.finditer(line.rstrip()):
        if found["open"] is not None:
            raise InvalidParameterValue(f"{place}: a quote is not closed")
        if found["comment"] is not None:
            break
        if found["comma"] is not None:
            goes_on = True
            continue
        is_quoted = found["quoted"] is not None
        word = _Word(found["quoted"] if is_quoted else found["word"], is_quoted)
        if goes_on and fields:
            fields[-1] = (*fields[-1], word)
        else:
            fields.append((word,))
        goes_on = False
    return fields


def _rule(fields: list[tuple[_Word, ...]], place: str) -> Rule:
    def refused(what: str) -> InvalidParameterValue:
        return InvalidParameterValue(f"{place}: {what}")

    kind = fields[0][0].text
    transport = next((each for each in Transport if each.value == kind and len(fields[0]) == 1), None)
    if transport is None:
        raise refused(f'type "{kind}" is not supported; there are {_named(Transport)}')
    if len(fields) < 5:
        raise refused("a rule is: type database user address method")
    _, databases, users, addresses, methods, *options = fields
    for word in (*databases, *users):
        if not word.is_quoted and (word.text in _UNSUPPORTED or word.text.startswith(("/", "@", "+"))):
            raise refused(f'name "{word.text}" is not supported; write names, all, or sameuser for a database')
    method = next((each for each in Method if len(methods) == 1 and each.value == methods[0].text), None)
    if method is None:
        if plain_address(methods[0].text) is not None:
            raise refused("write the address and its mask as one, as in 10.0.0.0/8")
        raise refused(f'method "{methods[0].text}" is not supported; there are {_named(Method)}')
    networks = _networks(addresses, place)
    rule = Rule(
        transport=transport,
        databases=_names(databases),
        same_user=any(word.means("sameuser") for word in databases),
        users=_names(users),
        networks=networks,
        same_host=any(word.means("samehost") for word in addresses),
        method=method,
        certificate=_certificate(options, place),
        place=place,
    )
    if transport is not Transport.TLS:
        if method is Method.PASSWORD:
            raise refused("method password sends the password as it is; it needs type hostssl")
        if rule.needs_certificate:
            raise refused("client certificates need type hostssl")
    return rule


def _names(words: tuple[_Word, ...]) -> frozenset[str] | None:
    if any(word.means("all") for word in words):
        return None
    return frozenset(word.text for word in words if not word.means("sameuser"))


def _networks(words: tuple[_Word, ...], place: str) -> tuple[IPNetwork, ...] | None:
    if any(word.means("all") for word in words):
        return None
    networks: list[IPNetwork] = []
    for word in words:
        if word.means("samehost"):
            continue
        try:
            networks.append(ipaddress.ip_network(word.text))
        except ValueError:
            problem = f'address "{word.text}" is not supported; write a network as in 10.0.0.0/8, all or samehost'
            raise InvalidParameterValue(f"{place}: {problem}") from None
    return tuple(networks)


def _certificate(options: list[tuple[_Word, ...]], place: str) -> ClientCertificate | None:
    found: ClientCertificate | None = None
    for option in options:
        text = ",".join(word.text for word in option)
        found = next((each for each in ClientCertificate if text == f"clientcert={each.value}"), None)
        if found is None:
            raise InvalidParameterValue(
                f'{place}: option "{text}" is not supported; there are clientcert=verify-ca and clientcert=verify-full'
            )
    return found


def _named(kinds: type[Enum]) -> str:
    return ", ".join(str(each.value) for each in kinds)
