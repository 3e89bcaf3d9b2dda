"""Words that only ask or link are left out, and no query becomes empty."""

from experiments.schema import Query, Turn
from retrievers.keyword_query import Keywords
from retrievers.queries import LastTurn
from retrievers.ranking import EVERY_PART


def searched(*queries, **options):
    plans = Keywords(**options).plan([*queries])
    return [plan.texts[EVERY_PART] for plan in plans]


def test_words_without_a_term_go():
    query = Query("1", "What is the speed of light?")
    assert searched(query, analyzer="english") == [("speed light?",)]


def test_all_the_user_said_is_read_unless_told_otherwise():
    query = Query(
        "1", "And its mass?", (Turn("user", "What is the Moon?"), Turn("assistant", "A."))
    )
    assert searched(query, analyzer="english") == [("Moon? mass?",)]
    assert searched(query, of=LastTurn(), analyzer="english") == [("mass?",)]


def test_a_query_of_nothing_else_stays_as_it_is():
    assert searched(Query("1", "of the"), Query("2", ""), analyzer="english") == [
        ("of the",),
        ("",),
    ]
