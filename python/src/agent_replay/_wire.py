"""Names on the wire. All derive from one word, the brand."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class WireNames:
    """Header names are in lower case, as they are looked up here."""

    replay_run_id: str
    original_session_id: str
    turn_trace_id: str
    include_prior_context: str
    is_replay_header: str
    run_token_header: str
    start_header: str
    off_header: str
    spans_header: str
    agent_id_variable: str
    run_token_variable: str
    is_replay: str = "is_replay"

    def header_of(self, key: str) -> str:
        """The header for what the body may contain under ``key``."""
        return self.is_replay_header if key == self.is_replay else "x-" + key.replace("_", "-")


def wire_names(brand: str) -> WireNames:
    """Raises ``ValueError`` for a brand that does not consist of lower-case letters and digits."""
    if not re.fullmatch(r"[a-z][a-z0-9]*", brand):
        raise ValueError(f"The brand is made of lower-case letters and digits, and is {brand!r}.")
    return WireNames(
        replay_run_id=f"{brand}_replay_run_id",
        original_session_id=f"{brand}_original_session_id",
        turn_trace_id=f"{brand}_turn_trace_id",
        include_prior_context=f"{brand}_include_prior_context",
        is_replay_header=f"x-{brand}-replay",
        run_token_header=f"x-{brand}-run-token",
        start_header=f"x-{brand}-replay-start",
        off_header=f"x-{brand}-replay-off",
        spans_header=f"x-{brand}-trace-spans",
        agent_id_variable=f"{brand.upper()}_AGENT_ID",
        run_token_variable=f"{brand.upper()}_RUN_TOKEN",
    )


def is_same_token(given: str, token: str) -> bool:
    """Compares digests, which are of equal length, so that the time taken reveals nothing about the token."""
    return hmac.compare_digest(_digest(given), _digest(token))


def start_proof(nonce: str, token: str) -> str:
    """Answers a nonce as only a holder of the token can: HMAC-SHA256 in lower-case hex."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), nonce.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
