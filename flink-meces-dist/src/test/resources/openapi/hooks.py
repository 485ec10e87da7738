# SPDX-License-Identifier: Apache-2.0
"""What OpenApiIT asks of each answer besides that it is as docs/openapi.json says."""

import schemathesis


@schemathesis.check
def no_stack_trace(ctx, response, case):
    text = response.content.decode("utf-8", "replace")
    assert "\\tat " not in text and "\tat " not in text, "It has a stack trace."


@schemathesis.check
def an_error_says_why(ctx, response, case):
    if response.status_code >= 400:
        errors = response.json()["errors"]
        assert len(errors) == 1 and errors[0], "It has not one reason."
