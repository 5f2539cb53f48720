"""Checks that a request which the document allows is taken, but for the rules named here.

schemathesis makes requests of /openapi.json. JSON Schema cannot say everything that the server
judges: each such rule has a line in RULES, its name and the words of the error. A refusal that is
none of these is a difference between document and server, and fails the run.
"""

import re

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection

# What the document cannot say, by name: the error's code and its words.
RULES = {
    "one of several parameters is required": (3, r"( or | with |, ).* is required$"),
    "a parameter requires another one": (3, r"^\S+( or \S+, beside \S+,|) is required$"),
    "enter and leave are of a list": (3, r"^segment is required: enter and leave are of its list$"),
    "a page by cursor has no offset": (4, r"^limit cannot have an offset beside a cursor$"),
    "account usage counts by hours, days and months": (4, r"^period must be in Hour, Day or Month here$"),
    "a brand is the definition's": (4, r"^brandid differs from the definition's$"),
    "a definition's onetime is fixed": (4, r"^onetime is fixed from the beginning$"),
    "a password is given in one form, of an email": (4, r"^password(_hash)? (and|is) "),
    "a network confirms a token": (4, r"^the network does not confirm "),
    "an email that logs in stays": (4, r"^the member logs in with its email"),
    "an Extended node has 64 KiB": (4, r"^the Extended node would be longer"),
    "an order by logins names no activity": (4, r"^activityID cannot stand beside order_by"),
    "two names of one field do not differ": (4, r" are one field and differ$"),
    "ways to name a member exclude one another": (4, r"is a second way to say who|must be given in one way"),
    "a token or a cursor is one that the server made": (4, r"^(wait_for|cursor|cursor, or Last-Event-ID,|explain_after) must be"),
    "a message is named by its id or by a place": (4, r"^cursor cannot be given beside id$"),
    "a range starts before it ends": (4, r"^the range must start before it ends$"),
    "a month has so many days": (4, r"must be a (time|day) "),
    "a time lies between 2000 and an hour ahead": (4, r"^(timestamp|birthdate) must "),
    "an address, a domain or a page is well-formed": (4, r"must be (a host name|a page|an http|an address|an email|an IP)"),
    "a receiver's address is well-formed": (4, r"^url must "),
    "a country or a region is one that there is": (4, r"must be an ISO 3166"),
    "a region is of one country": (4, r"^region needs exactly one country$"),
    "strict refuses names that are unknown": (4, r" is unknown"),
    "a parameter is given once, a list as one text": (4, r" is given twice$"),
    "a name has more than blanks": (4, r"must have more than blanks$"),
    "a password is measured in bytes": (4, r"^password must be at (least|most)"),
    "a merge is of two members": (4, r"^a member cannot be merged into itself$"),
    "order and activity go together": (4, r"order_by"),
    "an expression has a grammar": (4, r"^(query_extended|order_by|required_fields|fields) "),
    "a text is measured in characters": (4, r"must be at most [0-9]+ (characters|bytes) long$"),
    "an object nests so deep, its fields are not derived ones": (4, r"^(extended|content) "),
    "a list has so many entries": (4, r"must have at most [0-9]+ entries$"),
    "an id is given twice": (4, r"differs from the path's$|^id differs"),
    "ages, activities and points have a form": (4, r"^(age|activities|page|slug|access[tT]oken|password_hash) "),
}

# What depends on what there is: 401, 403, 404, 409, 410, 413, 415, 429, 503 are of the state.
MALFORMED = 400


# What HTTP lets a header hold: net/http answers anything else itself, by plain text.
HEADER = re.compile(r"[\t -~]*")


@schemathesis.hook
def filter_case(context, case):
    """Headers that no server reads are not sent, nor empty values: an empty value is an absent one."""
    texts = [text for pair in (case.headers or {}).items() for text in pair]
    values = (case.query or {}).values()
    return all(isinstance(text, str) and HEADER.fullmatch(text) for text in texts) and not any(
        value in ("", [""]) for value in values
    )


def named(problem):
    """The rule that a problem is of, or None."""
    code, words = problem["error"]["code"], problem["detail"]
    for name, (of, pattern) in RULES.items():
        if of == code and re.search(pattern, words):
            return name
    return None


@schemathesis.check
def what_is_documented_is_taken(ctx, response, case):
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code != MALFORMED:
        return
    problem = response.json()
    if named(problem) is None:
        raise AssertionError(f"the document allows what the server refuses: {problem['detail']}")


MANY = ("/activities/record", "/members/register")


def refuses_a_record(response):
    """Bodies of many judge each record by itself: a record that is refused is an item of a 200 or 202."""
    return response.status_code in (200, 202) and bool(response.json().get("rejected"))


def lost_a_header(response, case):
    """A forbidden value that no header can hold is not sent. No header of the document is required."""
    data = case.meta.phase.data if case.meta else None
    location = getattr(data, "parameter_location", None)
    return location is not None and location.name == "HEADER" and data.parameter not in response.request.headers


@schemathesis.check
def what_is_forbidden_is_refused(ctx, response, case):
    if lost_a_header(response, case):
        return None
    if case.operation.path.endswith(MANY) and refuses_a_record(response):
        return None
    return negative_data_rejection(ctx, response, case)
