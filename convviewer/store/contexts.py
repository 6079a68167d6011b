"""Contexts of model calls: worked out once, stored with their version, read in parts."""

from __future__ import annotations

from django.db import transaction

from convviewer.analysis.context import VERSION, call_contexts
from convviewer.core.json import encode
from convviewer.store import models
from convviewer.store.bulk import delete_rows, insert_rows
from convviewer.store.load import load_thread
from convviewer.store.rows import column_text

_COLUMNS = (
    "thread_id",
    "ordinal",
    "version",
    "position",
    "key",
    "reported",
    "estimated",
    "parts",
    "tier",
    "exact",
    "compacted",
)


def store_contexts(thread: models.Thread) -> None:
    """Work out the contexts of a thread's calls if this version did not before; one query else."""
    known = models.ModelCall.objects.filter(thread=thread).values_list("version", flat=True)
    if known.first() == VERSION:
        return
    calls = list(call_contexts(load_thread(thread)))
    with transaction.atomic():
        models.Thread.objects.select_for_update().get(pk=thread.pk)
        delete_rows(models.ModelCall, "thread_id", [thread.pk])
        insert_rows(
            models.ModelCall,
            _COLUMNS,
            [
                (
                    thread.pk,
                    ordinal,
                    VERSION,
                    call.position,
                    column_text(call.key, 200),
                    call.reported,
                    call.estimated,
                    encode(list(call.parts)),
                    column_text(call.tier, 200),
                    call.exact,
                    call.compacted,
                )
                for ordinal, call in enumerate(calls)
            ],
        )
