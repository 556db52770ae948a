"""Where a parenthesis closes, whatever stands between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import SyntaxProblem
from rocklake_server.sql.lexer import closing_parenthesis

HIDING = ("'a(b'", "'it''s ) '", '"x ) y"', "/* ( /* ) */ */", "-- )\n", "$$ ) $$", "$tag$ ( $tag$", r"E'\' ) '")
OTHERS = ("1", ",", "-2", "a", "/", "- 3", "e", "$1", "(1)", "(1, 'b)')", "(-1)")
pieces = st.lists(st.sampled_from(("(", ")", *HIDING, *OTHERS)), max_size=30)


@given(pieces)
def test_a_parenthesis_closes_where_as_many_have_opened_as_closed(between: list[str]) -> None:
    text, depth, closing = "(", 1, None
    for piece in between:
        text += " "
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if depth == 0 and closing is None:
            closing = len(text)
        text += piece
    if closing is None:
        with pytest.raises(SyntaxProblem):
            closing_parenthesis(text, 0)
    else:
        assert closing_parenthesis(text, 0) == closing


@pytest.mark.parametrize("row", ["(1)", "(-1, 'a')", "(1, 'it''s (')", "((2))"])
def test_a_long_list_of_rows_closes_behind_the_last(row: str) -> None:
    text = "(VALUES " + ", ".join([row] * 20_000) + ") SELECT (1)"
    assert closing_parenthesis(text, 0) == len(text) - len(" SELECT (1)") - 1
