"""The release of a lattice node: each quasi-identifier by its values at one level."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

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
from kanon_sql.source.columns import person
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.template import Composed, Fill, Item, column, compose, state

if TYPE_CHECKING:
    from kanon_sql.results.run import Loss

_TOP_CODE = 1  # of the one value at the top of a hierarchy


@dataclass(frozen=True)
class FullDomainRelease(Release):
    """The release of the chosen node: the rows of its classes that satisfy k and the models."""

    result: FullDomainResult

    @property
    def problem(self) -> FullDomain:
        return self.result.problem

    @cached_property
    def generalization(self) -> Generalization:
        """The levels of the quasi-identifiers, and what classes show instead."""
        problem = self.problem
        return Generalization(
            problem.roles, problem.frequency.mappings, self.result.winner.levels, problem.aggregated, self._group
        )

    @property
    def _group(self) -> exp.Expr | None:
        """The group of a row of the table source; rows of one group are suppressed together."""
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

    def describe_loss(self) -> Loss:
        loss, share = self.result.describe_loss(), sse(self._list_values())
        return loss if share is None else {**loss, "sse": share}

    def columns(self) -> list[str]:
        return [col.name for col in self.problem.roles.released]

    def can_mask(self) -> bool:
        if self.problem.populations:  # which have no class of masked rows
            return False
        starred = starred_condition(self.engine, self.generalization)
        if self.problem.models.in_rounds:
            return self._can_mask_closed(starred)
        self.list_suppressed()
        names: dict[str, Fill] = {"starred": starred}

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
        """The same where rows are suppressed until nothing changes: masked rows also count in combinations."""
        problem, k = self.problem, self.result.request.k
        problem.close(k, self.generalization.node)
        names: dict[str, Fill] = {"rows_there": problem.models.rows_table, "starred": starred}
        violates = violating(problem.models)
        rows = self.engine.query(
            "search/full_domain/closed_masked", names={**names, "violates": violates}, values={"k": k}
        )
        return not rows[0][0]

    def finer(self) -> list[Finer]:
        return [
            Finer(col, mapping.table, f"level_{level - 1}", f"level_{level}")
            for col, mapping, level in self.generalization.quasi_identifiers
            if level
        ]

    def labels(self) -> Labels:
        codes = self._largest_class()
        values = self._values_of(codes)
        chosen = dict(
            zip(
                self.problem.names,
                zip(self.problem.frequency.mappings, self.generalization.node, strict=True),
                strict=True,
            )
        )
        largest = {}
        for name, (mapping, level) in chosen.items():
            if mapping.index in values:
                largest[name] = values[mapping.index]
                continue
            rows = self.engine.query(
                "release/label_of_code",
                names={"mapping": mapping.table, "level_code": f"level_{level}", "level_label": f"label_{level}"},
                values={"code": codes.get(code_name(mapping.index, level), _TOP_CODE)},
            )
            largest[name] = rows[0][0]
        given_up = (
            name
            for name, (mapping, level) in chosen.items()
            if level and level == mapping.height and not mapping.splits_top and mapping.index not in values
        )
        return Labels(largest, tuple(given_up))

    def _values_of(self, codes: MappingOf[str, int]) -> dict[int, str | None]:
        """The values that the class of these codes shows of aggregated columns."""
        shown = self.generalization.shown_as
        if not shown:
            return {}
        self._list_values()
        keys: list[Item] = [{"code": code, "number": number} for code, number in codes.items()]
        row = self.engine.query(
            "release/value_of_class",
            lists={"key": keys, "value": [{"name": name} for name in shown.values()]},
        )[0]
        return dict(zip(shown, row, strict=True))

    def _largest_class(self) -> dict[str, int]:
        """The codes of the largest released class, without those of columns that have one code for all rows."""
        self.problem.close(self.result.least, self.generalization.node)
        statement = compose("release/largest_class", {"classes": judged_classes(self.problem.models)})
        values = judged_values(self.problem.models, self.result.least)
        row = self.problem.nodes.query(statement, values=values, lists={"key": self._keys})[0]
        return {str(key["code"]): int(code) for key, code in zip(self._keys, row[:-1], strict=True)}

    def select(self, writing: Writing) -> exp.Expr:
        if self.result.suppressed:
            self.list_suppressed()
        rows = listed_rows(self.engine, self.problem, writing)
        return self._select(rows, self.generalization, writing)

    def compiled(self, request: CompileRequest) -> CompiledRelease:
        suppressed, only_k = self.result.suppressed, self.problem.models.only_k
        masks = request.masks and suppressed > 0 and self.can_mask()
        groups = self.generalization.grouping()
        if suppressed and self.generalization.group is not None and not request.executed:
            raise ConfigurationError(
                "a statement does not tell which rows of a class are suppressed with their group: let run write the "
                "release from DuckDB, or set suppression: {limit: 0}"
            )
        listed = groups if groups and suppressed and (request.executed or not only_k) else None
        if listed is not None:
            self.list_suppressed()
        self._list_values()
        k, levels = self.result.least, self.result.levels()
        violating = f"of fewer than {k} rows" if only_k else "that violate k or a model"
        lines = (
            f"Levels: {', '.join(f'{name} {level}' for name, level in levels.items())}.",
            f"{suppressed:,} of {self.problem.n:,} rows lie in classes {violating} and are "
            f"{'masked' if masks else 'left out'}.",
        )
        release = compiled_levels(
            self.engine,
            replace(request, masks=masks),
            self.generalization,
            k,
            listed,
            self.problem.models.known_columns,
        )
        return replace(release, lines=lines, masked=suppressed if masks else 0)

    def expected(self, written: Source, masked: int) -> Expected:
        problem = self.problem
        persons = [population.persons(self.generalization.node) for population in problem.populations]
        return ExpectedLevels(
            columns=self.columns(),
            rows=problem.n - self.result.suppressed + masked,
            masked=masked,
            question=question_of(problem, self.result.least, written, persons),
            recounted=self._recounted(masked),
            again=self._again(self.generalization.shown),
            levels=self.generalization.levels(),
            aggregated={aggregated.name for aggregated in self.generalization.shown},
            groups=self._groups(masked),
        )

    def _generalized(self, others: Sequence[Column], writing: Writing) -> tuple[exp.Select, list[exp.Expr]]:
        quasi = self.problem.roles.quasi_identifiers
        columns = dict.fromkeys([*quasi, *others])
        # Under their keys, which are told apart whatever columns are called.
        roles = replace(self.problem.roles, released=tuple(replace(col, name=col.key) for col in columns))
        generalization = replace(self.generalization, roles=roles)
        rows = self._select(self.problem.rows, generalization, writing)
        assert isinstance(rows, exp.Select)
        return rows, [column(col.key) for col in quasi]

    def released_rows(self) -> exp.Select:
        """SELECT of the rows of the source that are not suppressed, as they are there, all columns under their keys."""
        if self.result.suppressed:
            self.list_suppressed()
        source, quasi = self.problem.source, self.problem.roles.quasi_identifiers
        raw = {col.key: f"raw_{index}" for index, col in enumerate(quasi)}
        others = [col for col in source.columns if col.key not in raw]
        rows, _ = self._generalized(others, Writing(order="none", seed=None, plain_text=True, as_text=True))
        for key, name in raw.items():
            rows = rows.select(exp.alias_(column(key, "source"), name, quoted=True))
        keys = [exp.alias_(column(raw.get(col.key, col.key)), col.key, quoted=True) for col in source.columns]
        return exp.select(*keys).from_(rows.subquery(state("rows_as_they_were")))

    def _label_of(self, aggregated: Aggregated) -> exp.Expr:
        return column(self.problem.roles.quasi_identifiers[aggregated.index].key)

    def _select(self, rows: exp.Select, generalization: Generalization, writing: Writing) -> exp.Expr:
        self._list_values()
        return release_select(self.engine, rows, generalization, self.result.suppressed, writing)

    @cached_property
    def _keys(self) -> list[Item]:
        """The codes that tell the classes apart."""
        return grouping_codes(self.problem.frequency, self.generalization.node)

    @cached_property
    def _suppressing(self) -> Composed:
        classes = judged_classes(self.problem.models)
        return compose(
            "release/suppressed_classes",
            {"classes": classes},
        )

    def list_suppressed(self) -> None:
        """Lists the violating classes in the table suppressed_classes."""
        k = self.result.least
        self.problem.close(k, self.generalization.node)
        models = self.problem.models
        keys: list[Item] = [*self._keys, {"code": GROUP}] if models.group is not None else self._keys
        self.problem.nodes.list_suppressed(self._suppressing, judged_values(models, k), keys)
