"""Search texts by message, how far the indexer is, and the database's own index."""

import django.db.models.deletion
from django.db import migrations, models

from convviewer.store.search import engine


def install(apps, schema_editor):
    engine().install(schema_editor)


def remove(apps, schema_editor):
    engine().remove(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("convviewer", "0001_initial")]

    operations = [
        migrations.DeleteModel("SearchText"),
        migrations.CreateModel(
            name="SearchText",
            fields=[
                (
                    "message",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="convviewer.message",
                    ),
                ),
                ("parts", models.TextField()),
                ("clipped", models.IntegerField(default=0)),
                ("text", models.TextField()),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="convviewer.thread"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("clipped__gt", 0)),
                        fields=["clipped"],
                        name="searchtext_clipped",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("watermark", models.BigIntegerField(default=0)),
                ("worker", models.CharField(blank=True, max_length=40)),
                ("lease_until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunPython(install, remove),
    ]
