{#- t-closeness: how far the sensitive values of a class are from those of all rows. -#}

{% macro t_violations(relation, quasi_identifiers, sensitive, t, reference, distance='equal', order=none, missing=none, complete=none) %}
    {%- do kanon_sql.refuse_number('t', t, 0, 1) -%}
    {%- if distance not in ('equal', 'ordered') -%}
        {%- do exceptions.raise_compiler_error(
            "kanon_sql.t_close: distance is '" ~ distance ~ "'; expected equal or ordered. Distances in a hierarchy are "
            ~ "checked by `kanon-sql check`, or by the statement of `kanon-sql compile --check`"
        ) -%}
    {%- elif order is not none and distance != 'ordered' -%}
        {%- do exceptions.raise_compiler_error("kanon_sql.t_close: order goes with distance: ordered") -%}
    {%- endif -%}
    {{ return(adapter.dispatch('t_violations', 'kanon_sql')(
        relation, quasi_identifiers, sensitive, t, reference, distance, order, missing, complete
    )) }}
{% endmacro %}

{% macro default__t_violations(relation, quasi_identifiers, sensitive, t, reference, distance, order, missing, complete) %}
{%- set keys = kanon_sql.quoted_columns(quasi_identifiers) -%}
{%- set value = kanon_sql.present(kanon_sql.quoted_columns([sensitive], 'sensitive')[0], missing) -%}
{%- set where = kanon_sql.where_complete(complete, missing) -%}
{%- if distance == 'equal' -%}
{{ kanon_sql.equal_distances(relation, keys, value, reference, where) }}
{%- else -%}
{{ kanon_sql.ordered_distances(relation, keys, kanon_sql.ordered(value, order), reference, where) }}
{%- endif %}
where reached > {{ t }} + 1e-9
{% endmacro %}

{#- Half the sum over all values of how much their shares differ; what a class lacks counts too. -#}
{% macro equal_distances(relation, keys, value, reference, where) %}
select class_rows, reached
from (
    select
        sum(held) as class_rows,
        (sum(abs(share - coalesce(expected, 0))) + 1 - sum(coalesce(expected, 0))) / 2 as reached
    from (
        select
            {{ kanon_sql.key_names(keys, "counted") }},
            counted.held,
            cast(counted.held as {{ kanon_sql.double() }})
                / sum(counted.held) over (partition by {{ kanon_sql.key_names(keys, 'counted') }}) as share,
            everyone.expected
        from {{ kanon_sql.counted_values(relation, keys, value) }} as counted
        left join (
            select
                kanon_value,
                cast(all_held as {{ kanon_sql.double() }}) / sum(all_held) over () as expected
            from (
                select {{ value }} as kanon_value, count(*) as all_held
                from {{ reference }}
                {{ where }}
                group by {{ value }}
            ) as totals
        ) as everyone
            on everyone.kanon_value = counted.kanon_value
            or (everyone.kanon_value is null and counted.kanon_value is null)
    ) as shares
    group by {{ kanon_sql.key_names(keys) }}
) as measured
{%- endmacro %}

{#- The sum over all values in their order, missing ones first, of how much the shares up to there differ, by one less
    than the values. Each class meets every value, and one that the reference lacks has no share in it. -#}
{% macro ordered_distances(relation, keys, value, reference, where) %}
select class_rows, reached
from (
    select
        sum(held) as class_rows,
        coalesce(sum(abs(up_to_here)) / nullif(count(*) - 1, 0), 0) as reached
    from (
        select
            {{ kanon_sql.key_names(keys) }},
            held,
            sum(difference) over (
                partition by {{ kanon_sql.key_names(keys) }}
                order by present, kanon_value
                rows between unbounded preceding and current row
            ) as up_to_here
        from (
            select
                {{ kanon_sql.key_names(keys) }},
                present,
                kanon_value,
                sum(held) as held,
                sum(share) - sum(expected) as difference
            from (
                select
                    {{ kanon_sql.key_names(keys, "counted") }},
                    counted.present,
                    counted.kanon_value,
                    counted.held,
                    cast(counted.held as {{ kanon_sql.double() }})
                        / sum(counted.held) over (partition by {{ kanon_sql.key_names(keys, 'counted') }}) as share,
                    0 as expected
                from {{ kanon_sql.counted_values(relation, keys, value) }} as counted
                union all
                select
                    {{ kanon_sql.key_names(keys, "classes") }},
                    everyone.present,
                    everyone.kanon_value,
                    0 as held,
                    0 as share,
                    everyone.expected
                from (
                    select distinct {% for key in keys %}{{ key }} as kanon_key_{{ loop.index }}{{ ', ' if not loop.last }}{% endfor %}
                    from {{ relation }}
                ) as classes
                cross join (
                    select
                        kanon_value,
                        max(case when kanon_value is null then 0 else 1 end) as present,
                        cast(sum(all_held) as {{ kanon_sql.double() }}) / sum(sum(all_held)) over () as expected
                    from (
                        select {{ value }} as kanon_value, 1 as all_held
                        from {{ reference }}
                        {{ where }}
                        union all
                        select {{ value }} as kanon_value, 0 as all_held
                        from {{ relation }}
                    ) as either_table
                    group by kanon_value
                ) as everyone
            ) as both_sides
            group by {{ kanon_sql.key_names(keys) }}, present, kanon_value
        ) as differences
    ) as cumulated
    group by {{ kanon_sql.key_names(keys) }}
) as measured
{%- endmacro %}
