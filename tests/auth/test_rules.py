"""The hba file: what fits, what decides, and what is refused when it is read."""

from __future__ import annotations

import pytest

from rocklake_server.auth.rules import Connection, Method, matching_rule, parse_rules
from rocklake_server.errors import InvalidParameterValue

FILE = """
# TYPE   DATABASE         USER        ADDRESS               METHOD
host     all              mallory     all                   reject   # first of all
hostssl  warehouse,"all"  reports     10.0.0.0/8,2001:db8::/32  scram-sha-256
hostssl  sameuser         all         all                   password
hostssl  all              ada         all                   cert
hostnossl tests           all         samehost              trust
host     metrics          "all",bob   192.0.2.7/32          scram-sha-256
hostssl  vault            all         all                   scram-sha-256 clientcert=verify-full
"""


def decided(
    database: str, user: str, address: str, *, tls: bool = True, server: str = "198.51.100.1"
) -> Method | None:
    rule = matching_rule(parse_rules(FILE, "hba"), Connection(tls, database, user, address, server))
    return None if rule is None else rule.method


@pytest.mark.parametrize(
    ("database", "user", "address", "tls", "method"),
    [
        ("warehouse", "mallory", "10.0.0.1", True, Method.REJECT),
        ("warehouse", "reports", "10.200.0.1", True, Method.SCRAM),
        ("all", "reports", "10.200.0.1", True, Method.SCRAM),
        ("warehouse", "reports", "2001:db8::5", True, Method.SCRAM),
        ("warehouse", "reports", "::ffff:10.0.0.9", True, Method.SCRAM),
        ("warehouse", "reports", "fe80::1%eth0", True, None),
        ("warehouse", "reports", "10.0.0.1", False, None),
        ("warehouse", "reports", "11.0.0.1", True, None),
        ("other", "reports", "10.0.0.1", True, None),
        ("carl", "carl", "203.0.113.1", True, Method.PASSWORD),
        ("carl", "carol", "203.0.113.1", True, None),
        ("any", "ada", "203.0.113.1", True, Method.CERTIFICATE),
        ("tests", "x", "127.0.0.1", False, Method.TRUST),
        ("tests", "x", "198.51.100.1", False, Method.TRUST),
        ("tests", "x", "198.51.100.2", False, None),
        ("tests", "x", "127.0.0.1", True, None),
        ("metrics", "bob", "192.0.2.7", False, Method.SCRAM),
        ("metrics", "all", "192.0.2.7", False, Method.SCRAM),
        ("metrics", "carl", "192.0.2.7", False, None),
        ("tests", "x", "", False, None),
    ],
)
def test_the_first_rule_that_fits_decides(
    database: str, user: str, address: str, tls: bool, method: Method | None
) -> None:
    assert decided(database, user, address, tls=tls) is method


def test_a_rule_can_ask_for_a_certificate_beside_the_password() -> None:
    rule = matching_rule(parse_rules(FILE, "hba"), Connection(True, "vault", "x", "203.0.113.1", ""))
    assert rule is not None
    assert (rule.method, rule.needs_certificate) == (Method.SCRAM, True)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("local all all trust", 'type "local" is not supported; there are host, hostssl, hostnossl'),
        ("hostgssenc all all all trust", 'type "hostgssenc"'),
        ("include more.conf", 'type "include"'),
        ("host all all all md5", 'method "md5" is not supported; there are trust, reject, scram-sha-256'),
        ("host all all all ldap", 'method "ldap"'),
        ("host all all all peer", 'method "peer"'),
        ("host all all all password", "it needs type hostssl"),
        ("hostnossl all all all password", "it needs type hostssl"),
        ("host all all all cert", "client certificates need type hostssl"),
        ("host all all all scram-sha-256 clientcert=verify-ca", "client certificates need type hostssl"),
        ("hostssl all all all cert map=people", 'option "map=people" is not supported'),
        ("host all all 10.0.0.0 255.0.0.0 trust", "write the address and its mask as one"),
        ("host all all 10.0.0.1/8 trust", 'address "10.0.0.1/8" is not supported'),
        ("host all all db.example.org trust", 'address "db.example.org" is not supported'),
        ("host all all samenet trust", 'address "samenet" is not supported'),
        ("host all +admins all trust", 'name "+admins" is not supported'),
        ("host replication all all trust", 'name "replication" is not supported'),
        ("host @databases all all trust", 'name "@databases" is not supported'),
        ("host /^db all all trust", 'name "/^db" is not supported'),
        ('host "all all all trust', "a quote is not closed"),
        ("host all all", "a rule is: type database user address method"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(line: str, said: str) -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        parse_rules(f"host all all all reject\n\n{line}\n", "hba file")
    assert str(caught.value).startswith("hba file, line 3: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["", "# nothing\n\n"])
def test_a_file_without_rules_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameterValue, match="has no rules"):
        parse_rules(text, "hba file")
