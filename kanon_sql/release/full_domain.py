"""The release of a lattice node: each quasi-identifier by its values at one level."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.judged import source_tables
from kanon_sql.frequency.table import code_name
from kanon_sql.privacy.statement import Tables
from kanon_sql.release.aggregates import list_class_values
from kanon_sql.release.compiled import CompiledRelease, CompileRequest
from kanon_sql.release.compiled_levels import compiled_levels
from kanon_sql.release.release import Finer, Labels, Release, Writing
from kanon_sql.release.statement import GROUP, Generalization, listed_rows, release_select, starred_condition
from kanon_sql.release.verify import Expected, ExpectedLevels, question_of
from kanon_sql.search.classes import Deviations, sse
from kanon_sql.search.full_domain.checker import grouping_codes
from kanon_sql.search.full_domain.closure import judged_classes, judged_values, violating
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.problem import Json
from kanon_sql.source.columns import person
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.template import Composed, Fill, Item, column, compose, state

_TOP_CODE = 1  # of the one value at the top of a hierarchy


@dataclass(frozen=True)
class FullDomainRelease(Release):
    """The rows of the chosen node's classes that satisfy."""

    result: FullDomainResult

    @property
    def problem(self) -> FullDomain:
        return self.result.problem

    @cached_property
    def made(self) -> Generalization:
        """What is released of the quasi-identifiers."""
        problem = self.problem
        return Generalization(
            problem.roles, problem.frequency.mappings, self.result.winner.levels, problem.aggregated, self._group
        )

    @property
    def _group(self) -> exp.Expr | None:
        """The group of a row of the table source, whose rows are suppressed together."""
        group = self.problem.models.group
        if group is None:
            return None
        value = person(group, self.problem.source.missing).copy()
        for named in value.find_all(exp.Column):
            named.set("table", template.quoted("source"))
        return value

    @cached_property
    def _deviations(self) -> list[Deviations]:
        """Lists what the classes show of columns that are aggregated; how far their values are from the means."""
        aggregated, suppresses = self.problem.aggregated, self.result.suppressed > 0
        if not aggregated:
            return []
        if suppresses:
            self.list_suppressed()
        codes = [str(key["code"]) for key in self._keys]
        return list_class_values(self.engine, aggregated, codes, suppresses=suppresses)

    def _list_values(self) -> list[Deviations]:
        return self._deviations

    def describe_loss(self) -> Json:
        share = sse(self._list_values())
        return {**self.result.describe_loss(), **({} if share is None else {"sse": share})}

    def columns(self) -> list[str]:
        return [item.name for item in self.problem.roles.released]

    def can_mask(self) -> bool:
        if self.problem.populations:  # which have no class of masked rows
            return False
        starred = starred_condition(self.engine, self.made)
        if self.problem.models.closes:
            return self._can_mask_closed(starred)
        self.list_suppressed()
        names: dict[str, Fill] = {"suppressed_classes": state("suppressed_classes"), "starred": starred}

        def masked(table: str | Composed) -> Composed:
            return Composed(
                template.fill("release/masked_rows", {**names, "judged_rows": str(table)}, {"key": self._keys})
            )

        models = self.problem.models
        tables = source_tables(models)
        statement = models.classes(
            Tables(
                masked(tables.tuples),
                masked(tables.holders) if models.by_entity and tables.holders else None,
                {name: masked(table) for name, table in tables.sensitive.items()},
            ),
            [model for model in models.models if model.column is not None],
        )
        lists: dict[str, list[Item]] = {"key": []}
        check = compose("search/full_domain/node_check", {"classes": statement})
        return not self.engine.query(check, values={"k": self.result.least}, lists=lists)[0][0]

    def _can_mask_closed(self, starred: exp.Expr) -> bool:
        """The same where rows are suppressed in rounds: combinations of masked columns hold that class and more."""
        problem, k = self.problem, self.result.request.k
        problem.close(k, self.made.node)
        names: dict[str, Fill] = {"rows_there": problem.models.rows_table, "kept": state("kept"), "starred": starred}
        violates = violating(problem.models)
        found = self.engine.query(
            "search/full_domain/closed_masked", names={**names, "violates": violates}, values={"k": k}
        )
        return not found[0][0]

    def finer(self) -> list[Finer]:
        return [
            Finer(item, mapping.table, f"level_{level - 1}", f"level_{level}")
            for item, mapping, level in self.made.quasi_identifiers
            if level
        ]

    def labels(self) -> Labels:
        codes = self._largest_class()
        values = self._values_of(codes)
        chosen = dict(
            zip(self.problem.names, zip(self.problem.frequency.mappings, self.made.node, strict=True), strict=True)
        )
        largest = {}
        for name, (mapping, level) in chosen.items():
            if mapping.index in values:
                largest[name] = values[mapping.index]
                continue
            found = self.engine.query(
                "release/label_of_code",
                names={"mapping": mapping.table, "level_code": f"level_{level}", "level_label": f"label_{level}"},
                values={"code": codes.get(code_name(mapping.index, level), _TOP_CODE)},
            )
            largest[name] = found[0][0]
        given_up = (
            name
            for name, (mapping, level) in chosen.items()
            if level and level == mapping.height and not mapping.splits_top and mapping.index not in values
        )
        return Labels(largest, tuple(given_up))

    def _values_of(self, codes: MappingOf[str, int]) -> dict[int, str | None]:
        """What the class of these codes shows of columns that are aggregated."""
        shown = self.made.shown_as
        if not shown:
            return {}
        self._list_values()
        keys: list[Item] = [{"code": code, "number": number} for code, number in codes.items()]
        row = self.engine.query(
            "release/value_of_class",
            names={"class_values": state("class_values")},
            lists={"key": keys, "value": [{"name": name} for name in shown.values()]},
        )[0]
        return dict(zip(shown, row, strict=True))

    def _largest_class(self) -> dict[str, int]:
        """The codes of the largest class that is released, without those of columns that have one for all rows."""
        self.problem.close(self.result.least, self.made.node)
        statement = compose("release/largest_class", {"classes": judged_classes(self.problem.models)})
        values = judged_values(self.problem.models, self.result.least)
        row = self.problem.nodes.query(statement, values=values, lists={"key": self._keys})[0]
        return {str(key["code"]): int(code) for key, code in zip(self._keys, row[:-1], strict=True)}

    def select(self, writing: Writing) -> exp.Expr:
        if self.result.suppressed:
            self.list_suppressed()
        rows = listed_rows(self.engine, self.problem, writing)
        return self._select(rows, self.made, writing)

    def compiled(self, asked: CompileRequest) -> CompiledRelease:
        suppressed, only_k = self.result.suppressed, self.problem.models.only_k
        masks = asked.masks and suppressed > 0 and self.can_mask()
        groups = self.made.grouping()
        if suppressed and self.made.group is not None:
            raise ConfigurationError(
                "a statement does not tell which rows of a class are suppressed with their group: let run write the "
                "release from DuckDB, or set suppression: {limit: 0}"
            )
        listed = groups if groups and suppressed and (asked.executed or not only_k) else None
        if listed is not None:
            self.list_suppressed()
        self._list_values()
        k, levels = self.result.least, self.result.levels()
        violating = f"of fewer than {k} rows" if only_k else "that violate k or a model"
        lines = (
            f"Levels: {', '.join(f'{name} {level}' for name, level in levels.items())}.",
            f"{suppressed} of {self.problem.n} rows lie in classes {violating} and are "
            f"{'masked' if masks else 'left out'}.",
        )
        made = compiled_levels(
            self.engine, replace(asked, masks=masks), self.made, k, listed, self.problem.models.known_columns
        )
        return replace(made, lines=lines, masked=suppressed if masks else 0)

    def expected(self, written: Source, masked: int) -> Expected:
        problem = self.problem
        persons = [population.persons(self.made.node) for population in problem.populations]
        return ExpectedLevels(
            columns=self.columns(),
            rows=problem.n - self.result.suppressed + masked,
            masked=masked,
            question=question_of(problem, self.result.least, written, persons),
            recounted=self._recounted(masked),
            again=self._again(self.made.shown),
            levels=self.made.levels(),
            aggregated={one.name for one in self.made.shown},
            groups=self._groups(masked),
        )

    def _generalized(self, others: Sequence[Column], writing: Writing) -> tuple[exp.Select, list[exp.Expr]]:
        quasi = self.problem.roles.quasi_identifiers
        columns = dict.fromkeys([*quasi, *others])
        # Under their keys, which are told apart whatever columns are called.
        roles = replace(self.problem.roles, released=tuple(replace(item, name=item.key) for item in columns))
        made = replace(self.made, roles=roles)
        rows = self._select(self.problem.rows, made, writing)
        assert isinstance(rows, exp.Select)
        return rows, [column(item.key) for item in quasi]

    def released_rows(self) -> exp.Select:
        """SELECT of the rows of the source that are not suppressed, as they are there, all columns under their keys."""
        if self.result.suppressed:
            self.list_suppressed()
        source, quasi = self.problem.source, self.problem.roles.quasi_identifiers
        raw = {item.key: f"raw_{place}" for place, item in enumerate(quasi)}
        others = [item for item in source.columns if item.key not in raw]
        rows, _ = self._generalized(others, Writing(order="none", seed=None, plain_text=True, as_text=True))
        for key, name in raw.items():
            rows = rows.select(exp.alias_(column(key, "source"), name, quoted=True))
        keys = [exp.alias_(column(raw.get(item.key, item.key)), item.key, quoted=True) for item in source.columns]
        return exp.select(*keys).from_(rows.subquery(state("rows_as_they_were")))

    def _label_of(self, one: Aggregated) -> exp.Expr:
        return column(self.problem.roles.quasi_identifiers[one.index].key)

    def _select(self, rows: exp.Select, made: Generalization, writing: Writing) -> exp.Expr:
        self._list_values()
        return release_select(self.engine, rows, made, self.result.suppressed, writing)

    @cached_property
    def _keys(self) -> list[Item]:
        """The codes that tell the classes apart."""
        return grouping_codes(self.problem.frequency, self.made.node)

    @cached_property
    def _suppressing(self) -> Composed:
        classes = judged_classes(self.problem.models)
        return compose(
            "release/suppressed_classes", {"classes": classes, "suppressed_classes": state("suppressed_classes")}
        )

    def list_suppressed(self) -> None:
        """Lists the violating classes in the table suppressed_classes."""
        k = self.result.least
        self.problem.close(k, self.made.node)
        models = self.problem.models
        keys: list[Item] = [*self._keys, {"code": GROUP}] if models.group is not None else self._keys
        self.problem.nodes.list_suppressed(self._suppressing, judged_values(models, k), keys)
