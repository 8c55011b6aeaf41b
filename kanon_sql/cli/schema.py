"""kanon-sql schema"""

from __future__ import annotations

import click

from kanon_sql.cli.output import print_json


@click.command()
def schema() -> None:
    """Prints the JSON Schema of the configuration, for editors.

    \b
      kanon-sql schema > kanon-sql.schema.json
      # first line of a configuration:  # yaml-language-server: $schema=kanon-sql.schema.json
    """
    from kanon_sql.config.schema import json_schema

    print_json(json_schema())
