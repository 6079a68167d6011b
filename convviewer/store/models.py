"""The tables.

JSON is kept as ASCII text in our stored dialect (`core.json.encode`), never in a JSONField: jsonb
reorders keys and refuses NUL. Large values and media are blobs, stored once by content. Ids of
bulk rows come from blocks reserved in `IdBlock`, so that one executemany, or one COPY, writes them.
"""

from __future__ import annotations

from django.db import models


class Thread(models.Model):
    """One conversation. Counters are those of its fullest tier, so that lists read no messages.

    `public_id` is the address; `lookup_id` finds the same thread again; `sort_at` is the last known
    change, else the time of the import. `usage` holds the totals of its model calls, `facts` the
    thread-level core values; `head_hash` tells whether they changed. `warnings` are those of the
    import that last wrote the thread.
    """

    id = models.BigIntegerField(primary_key=True)
    public_id = models.CharField(max_length=40, unique=True)
    format = models.CharField(max_length=40)
    external_id = models.TextField()
    agent_id = models.TextField(blank=True)
    lookup_id = models.TextField()
    title = models.TextField(blank=True)
    first_text = models.TextField(blank=True)
    status = models.CharField(max_length=80, blank=True)
    agent_name = models.TextField(blank=True)
    created_at = models.CharField(max_length=80, blank=True)
    updated_at = models.CharField(max_length=80, blank=True)
    sort_at = models.DateTimeField()
    messages = models.IntegerField(default=0)
    turns = models.IntegerField(default=0)
    blocks = models.IntegerField(default=0)
    tool_calls = models.IntegerField(default=0)
    failures = models.IntegerField(default=0)
    declined = models.IntegerField(default=0)
    tokens = models.BigIntegerField(default=0)
    tokens_after = models.BigIntegerField(null=True)
    saved = models.FloatField(null=True)
    compressed = models.BooleanField(default=False)
    lost = models.IntegerField(null=True)
    introduced = models.IntegerField(null=True)
    usage = models.TextField(blank=True)
    facts = models.TextField()
    warnings = models.TextField(blank=True)
    head_hash = models.CharField(max_length=32)
    imported_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["format", "lookup_id"], name="thread_lookup"),
            models.Index(fields=["sort_at", "id"], name="thread_updated"),
            models.Index(fields=["created_at", "id"], name="thread_created"),
            models.Index(fields=["messages", "id"], name="thread_messages"),
            models.Index(fields=["failures", "id"], name="thread_failures"),
            models.Index(fields=["tokens", "id"], name="thread_tokens"),
            models.Index(fields=["saved", "id"], name="thread_saved"),
        ]


class Tier(models.Model):
    """One version of a thread. `base` is the fullest tier: verbatim, else the first stored."""

    id = models.BigIntegerField(primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="tiers")
    ordinal = models.IntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    base = models.BooleanField(default=False)
    captured_at = models.CharField(max_length=80, blank=True)
    strategy = models.CharField(max_length=200, blank=True)
    entries = models.IntegerField(default=0)
    tokens = models.BigIntegerField(default=0)
    facts = models.TextField()
    content_hash = models.CharField(max_length=32)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["thread", "name"], name="tier_name"),
        ]


class Message(models.Model):
    """One message, stored once however many tiers hold it.

    `blocks` is the list of its blocks (`store.codec`); `raw` the record's own JSON, byte for byte;
    `original_raw` what a redaction replaced, read by `export_thread --include-redacted` alone.
    `nodes` and `size` estimate what it costs to render, so that a window is cut before it is read.
    """

    id = models.BigIntegerField(primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, db_index=False)
    key = models.CharField(max_length=200)
    number = models.IntegerField(null=True)
    role = models.CharField(max_length=40)
    tracking_id = models.CharField(max_length=200, blank=True)
    tokens = models.IntegerField(default=0)
    nodes = models.IntegerField(default=0)
    size = models.IntegerField(default=0)
    content_hash = models.CharField(max_length=32)
    facts = models.TextField()
    blocks = models.TextField()
    raw = models.BinaryField()
    original_raw = models.BinaryField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["thread", "key"], name="message_key"),
        ]


class Entry(models.Model):
    """A message's place in a tier, from 0."""

    pk = models.CompositePrimaryKey("tier_id", "position")
    tier = models.ForeignKey(Tier, on_delete=models.CASCADE, db_index=False)
    position = models.IntegerField()
    message = models.ForeignKey(Message, on_delete=models.CASCADE)


class ToolCall(models.Model):
    """A call and its result as paired in one tier; places are (position, key, block) or null."""

    pk = models.CompositePrimaryKey("tier_id", "ordinal")
    tier = models.ForeignKey(Tier, on_delete=models.CASCADE, db_index=False)
    ordinal = models.IntegerField()
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE)
    base = models.BooleanField()
    tool_use_id = models.TextField()
    name = models.TextField()
    status = models.CharField(max_length=20)
    runtime_ms = models.FloatField(null=True)
    use_position = models.IntegerField(null=True)
    use_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - no use at all
    use_block = models.IntegerField(null=True)
    result_position = models.IntegerField(null=True)
    result_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - no result at all
    result_block = models.IntegerField(null=True)
    pairing = models.CharField(max_length=20)
    labels = models.TextField(blank=True)
    group = models.IntegerField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["tier", "use_position"], name="call_use"),
            models.Index(fields=["tier", "result_position"], name="call_result"),
            models.Index(fields=["name", "status"], name="call_name"),
        ]


class OutlineItem(models.Model):
    """A line of a tier's outline: a turn, a call, a failure or a compaction point."""

    pk = models.CompositePrimaryKey("tier_id", "ordinal")
    tier = models.ForeignKey(Tier, on_delete=models.CASCADE, db_index=False)
    ordinal = models.IntegerField()
    position = models.IntegerField()
    key = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    turn = models.IntegerField()
    facts = models.TextField()

    class Meta:
        indexes = [
            models.Index(fields=["tier", "position"], name="outline_position"),
            models.Index(fields=["tier", "kind", "turn"], name="outline_turn"),
        ]


class Comparison(models.Model):
    """Two tiers aligned by the algorithm of `version`; `facts` holds summary and retention."""

    id = models.BigIntegerField(primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE)
    left = models.ForeignKey(Tier, on_delete=models.CASCADE, related_name="+")
    right = models.ForeignKey(Tier, on_delete=models.CASCADE, related_name="+")
    version = models.IntegerField()
    rows = models.IntegerField()
    facts = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["left", "right"], name="comparison_pair"),
        ]


class ComparisonRow(models.Model):
    """One aligned span. `facts` holds positions, basis, tokens and block pairs."""

    pk = models.CompositePrimaryKey("comparison_id", "row")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, db_index=False)
    row = models.IntegerField()
    outcome = models.CharField(max_length=20)
    left_from = models.IntegerField(null=True)
    right_from = models.IntegerField(null=True)
    facts = models.TextField()

    class Meta:
        indexes = [
            models.Index(fields=["comparison", "outcome", "row"], name="row_outcome"),
            models.Index(fields=["comparison", "left_from"], name="row_left"),
            models.Index(fields=["comparison", "right_from"], name="row_right"),
        ]


class ModelCall(models.Model):
    """The context of a model call of the fullest tier, worked out when it is first asked for.

    `parts` are estimated tokens in the order of `analysis.context.PARTS` (JSON), `estimated` their
    sum, `reported` the prompt as the record counts it. `tier` names the stored tier that the
    estimate starts from, `exact` says that the model saw just that.
    """

    pk = models.CompositePrimaryKey("thread_id", "ordinal")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, db_index=False)
    ordinal = models.IntegerField()
    version = models.IntegerField()
    position = models.IntegerField()
    key = models.CharField(max_length=200)
    reported = models.BigIntegerField(null=True)
    estimated = models.BigIntegerField()
    parts = models.TextField()
    tier = models.CharField(max_length=200, blank=True)
    exact = models.BooleanField()
    compacted = models.BooleanField()


class Unplaced(models.Model):
    """A stored original whose order and speaker are not recorded."""

    pk = models.CompositePrimaryKey("thread_id", "ordinal")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, db_index=False)
    ordinal = models.IntegerField()
    ref = models.TextField()
    block = models.TextField()


class Blob(models.Model):
    """Bytes by content: media, and values too large for their message.

    `of` is media, json (JSON text) or text (UTF-8, lone surrogates as `surrogatepass` keeps them).
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    of = models.CharField(max_length=10)
    media_type = models.CharField(max_length=120, blank=True)
    size = models.BigIntegerField()
    data = models.BinaryField()


class ImportedUnit(models.Model):
    """Files that were read together, and what came of them: unchanged files are not read again.

    `root` is the import's absolute path, `digest` covers path, size and stamp of each file.
    """

    root = models.TextField()
    folder = models.TextField(blank=True)
    digest = models.CharField(max_length=32)
    members = models.TextField()
    outcome = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["root"], name="unit_root")]


class ImportRun(models.Model):
    """An import asked for in the browser or by the API; `report` is the report of interfaces.md."""

    public_id = models.CharField(max_length=40, unique=True)
    state = models.CharField(max_length=20)
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    report = models.TextField(blank=True)
    message = models.TextField(blank=True)
    created_at = models.DateTimeField()


class SearchText(models.Model):
    """What can be searched of one message, made by the indexer behind the import.

    `text` joins the folded texts of its blocks by line breaks, which no folded text holds; `parts`
    says of each in order [block, place, clipped] (JSON). `clipped` counts the blocks that hold more
    than is searched. `store.search` keeps the vendor's index over `text`.
    """

    message = models.OneToOneField(Message, on_delete=models.CASCADE, primary_key=True)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE)
    parts = models.TextField()
    clipped = models.IntegerField(default=0)
    text = models.TextField()

    class Meta:
        indexes = [
            models.Index(
                fields=["clipped"], name="searchtext_clipped", condition=models.Q(clipped__gt=0)
            ),
        ]


class SearchState(models.Model):
    """One row: messages up to `watermark` are indexed; `worker` may index until `lease_until`."""

    watermark = models.BigIntegerField(default=0)
    worker = models.CharField(max_length=40, blank=True)
    lease_until = models.DateTimeField(null=True)


class IdBlock(models.Model):
    """The next free id of a table whose rows are written in bulk."""

    table = models.CharField(max_length=40, primary_key=True)
    next_id = models.BigIntegerField(default=1)
