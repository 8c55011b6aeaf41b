"""The statement that returns the classes of a release which violate what was asked for; counts only, no value."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy import parameters as privacy
from kanon_sql.privacy.model import Model, Models
from kanon_sql.recount.counting import row_total
from kanon_sql.release.body import Asked, Body, other_name, present, set_with, source_rows
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects.inline_table import Cell, Listing
from kanon_sql.sql.template import Composed, Item, column, compose, quoted

Check = tuple[exp.Query, tuple[Listing, ...], tuple[str, ...]]


def compiled_check(
    engine: Engine, asked: Asked, roles: Roles, body: Body, models: Models, k: int, table: exp.Table | None
) -> Check:
    """(the statement, its listings, the models that it does not check as they compare with a population).

    It returns the classes of the release that violate k or a model: of the `table` that it was stored in, else of the
    release as the statement makes it of the source.
    """
    return _Check(engine, asked, roles, body, models, k, table).made()


class _Check:
    def __init__(
        self,
        engine: Engine,
        asked: Asked,
        roles: Roles,
        body: Body,
        models: Models,
        k: int,
        table: exp.Table | None,
    ) -> None:
        self.engine = engine
        self.asked = asked
        self.roles = roles
        self.body = body
        self.models = models
        self.k = k
        self.table = table
        self.by_entity = models.by_entity
        self.checked = [model for model in models.models if model.population is None]
        self._keys: list[Item] = [
            {"value": f"v{i}"} for i, _ in enumerate(one for one in body.released if one.is_quasi_identifier)
        ]
        self._parts: list[exp.CTE] = []
        self._listings: list[Listing] = []

    def made(self) -> Check:
        named = {model.column for model in self.checked}
        spoken = [one for name, one in self.models.columns.items() if name in named]
        if self.table is None:
            self._parts += self.body.parts()
            self._listings += self.body.listings
        elif any(self._compares(model) for model in self.checked):
            self._parts.append(source_rows(self.asked, self.roles))
        self._add("table_rows", self._rows(spoken))
        self._add("sizes", self._filled("sizes_entities" if self.by_entity else "sizes", {}))
        for one in spoken:
            self._add_column(one)
        parts = [self._k()]
        for index, model in enumerate(self.checked):
            self._add(f"measured_{index}", self._measured(model))
            parts.append(self._model(index, model))
        statement: exp.Query = parts[0]
        for more in parts[1:]:
            statement = exp.Union(this=statement, expression=more, distinct=False)
        set_with(statement, self._parts)
        unchecked = tuple(model.key for model in self.models.models if model.population is not None)
        return statement, tuple(self._listings), unchecked

    def _rows(self, spoken: Sequence[Sensitive]) -> exp.Select:
        """The rows of the release: quasi-identifiers v0, v1 ..., sensitive values s0, s1 ..., entity."""
        released = {one.name: one for one in self.body.released}

        def read(name: str) -> exp.Expr:
            return column(name) if self.table is not None else column(released[name].code)

        names = [one.name for one in self.body.released if one.is_quasi_identifier]
        values: list[exp.Expr] = [exp.alias_(read(name), f"v{i}", quoted=True) for i, name in enumerate(names)]
        for one in spoken:
            value = present(one.column, self.asked.missing, read(one.column.name))
            values.append(exp.alias_(value, one.code, quoted=True))
        if self.by_entity:
            values.append(exp.alias_(column("entity"), "entity", quoted=True))
        origin = self.table.copy() if self.table is not None else exp.Table(this=quoted("released"))
        return exp.select(*values).from_(origin)

    def _add_column(self, one: Sensitive) -> None:
        """Its values counted in each class and, where a model compares with these, in all rows."""
        tail = "_entities" if self.by_entity else ""
        self._add(f"counted_{one.index}", self._filled(f"counted{tail}", {"sensitive_value": one.code}))
        speaking = [model for model in self.checked if model.column == one.column.name]
        if any(self._compares(model) for model in speaking):
            rows = Composed(self._reference_rows(one))
            holes: dict[str, str | Composed] = {"sensitive_value": one.code, "reference_rows": rows}
            self._add(f"reference_{one.index}", self._filled(f"reference{tail}", holes))
            self._add(f"shares_{one.index}", self._filled("shares", self._names(one)))
        for kind in {model.spec.distance for model in speaking if isinstance(model.spec, privacy.TCloseness)}:
            if kind == "ordered":
                self._listings.append(self._ranks(one))
                self._add(f"ranked_{one.index}", self._filled("ranked", self._names(one)))
            if kind == "hierarchical":
                self._listings.append(self._steps(one))

    def _reference_rows(self, one: Sensitive) -> exp.Select:
        """The sensitive values of all rows that take part."""
        value = present(one.column, self.asked.missing, column(other_name(one.column)))
        values: list[exp.Expr] = [exp.alias_(value, one.code, quoted=True)]
        if self.by_entity:
            values.append(exp.alias_(column("entity"), "entity", quoted=True))
        return exp.select(*values).from_(exp.Table(this=quoted("source_rows")))

    def _ranks(self, one: Sensitive) -> Listing:
        found = self.engine.query("release/compiled_check_ranks", names={"domain": one.domain})
        rows: tuple[tuple[Cell, ...], ...] = tuple((value, int(rank)) for value, rank in found)
        return Listing(f"ranks_{one.index}", self._of(one), (("value", "VARCHAR"), ("rank", "BIGINT")), rows)

    def _steps(self, one: Sensitive) -> Listing:
        assert one.mapping is not None
        steps: list[Item] = [{"code": f"level_{i}", "node": f"node_{i}"} for i in range(one.mapping.height)]
        found = self.engine.query(
            "release/compiled_check_steps", names={"mapping": one.mapping.table}, lists={"step": steps}
        )
        missing = {None, *(self.asked.missing if one.column.is_text else ())}
        rows = dict.fromkeys(
            (None if value in missing else value, level, int(node))
            for value, *nodes in found
            for level, node in enumerate(nodes)
        )
        columns = (("value", "VARCHAR"), ("level", "BIGINT"), ("node", "BIGINT"))
        return Listing(f"steps_{one.index}", self._of(one), columns, tuple(rows), keys=2)

    def _measured(self, model: Model) -> exp.Expr:
        one = self.models.columns[model.column or ""]
        height = one.mapping.height if one.mapping else 0
        return self._filled(model.file.removeprefix("privacy/"), self._names(one), model.literals(height))

    def _k(self) -> exp.Select:
        name = _named("k entities" if self.by_entity else "k")
        made = template.fill("release/compiled_check_k", names={"requirement_name": name, "smallest": self.k})
        assert isinstance(made, exp.Select)
        return made

    def _model(self, index: int, model: Model) -> exp.Select:
        name = _named(f"{model.key} of {model.column}")
        statement = compose("release/compiled_check_model", {"measured": f"measured_{index}"})
        made = template.fill(statement, names={"requirement_name": name}, lists={"qi": self._keys})
        assert isinstance(made, exp.Select)
        return made

    def _names(self, one: Sensitive) -> dict[str, str | Composed]:
        return {name: f"{name}_{one.index}" for name in ("counted", "reference", "shares", "ranks", "ranked", "steps")}

    def _filled(
        self, file: str, names: dict[str, str | Composed], values: dict[str, exp.Expr] | None = None
    ) -> exp.Expr:
        total = row_total(weighted=False)
        return template.fill(compose(f"recount/{file}", names, values), {"row_total": total}, {"qi": self._keys})

    def _add(self, name: str, statement: exp.Expr) -> None:
        self._parts.append(exp.CTE(this=statement, alias=exp.TableAlias(this=quoted(name))))

    @staticmethod
    def _compares(model: Model) -> bool:
        """Whether a model compares a class with all rows."""
        return model.needs_sizes

    @staticmethod
    def _of(one: Sensitive) -> str:
        return f"sensitive column {one.column.name!r}"


def _named(requirement: str) -> exp.Expr:
    return exp.cast(exp.Literal.string(requirement), "VARCHAR")
