{#- A release is anonymous as a whole. What is added to it later tells, by comparison, which rows are new. -#}

{% macro why_not_incremental() %}
    {{ return(
        "a release is anonymous as a whole: rows that are added to it are told apart by comparing it with what it was, "
        ~ "and may be fewer than k. Use materialized='table' (or 'external'), which makes it anew; "
        ~ "`kanon-sql apply` releases added rows"
    ) }}
{% endmacro %}

{#- For models that are releases: an error of dbt, before anything is made. -#}
{% macro refuse_incremental() %}
    {%- if execute and model.config.materialized == 'incremental' -%}
        {%- do exceptions.raise_compiler_error(
            "kanon_sql: " ~ model.name ~ " is materialized as incremental; " ~ kanon_sql.why_not_incremental()
        ) -%}
    {%- endif -%}
{% endmacro %}

{#- For tests, which are asked of tables that are no releases too: each state of the table may hold, and two not. -#}
{% macro warn_of_incremental(relation) %}
    {%- if execute -%}
        {%- for node in graph.nodes.values() -%}
            {%- if node.resource_type == 'model' and node.config.materialized == 'incremental'
                and node.relation_name == relation | string -%}
                {%- do exceptions.warn(
                    "kanon_sql: " ~ node.name ~ " is incremental, and only its state of now is tested; "
                    ~ kanon_sql.why_not_incremental()
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
{% endmacro %}
