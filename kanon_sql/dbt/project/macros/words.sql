{#- What the statements have in common. -#}

{% macro quoted_columns(columns) %}
    {%- if columns is string or columns is not iterable or columns | length == 0 -%}
        {%- do exceptions.raise_compiler_error("kanon_sql: quasi_identifiers is '" ~ columns ~ "'; expected a list of columns") -%}
    {%- endif -%}
    {%- set made = [] -%}
    {%- for name in columns -%}
        {%- if name is not string or name == '' -%}
            {%- do exceptions.raise_compiler_error("kanon_sql: '" ~ name ~ "' is no name of a column") -%}
        {%- endif -%}
        {%- do made.append(kanon_sql.quoted(name)) -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}

{#- adapter.quote puts quotes around a name; those inside it are doubled here. -#}
{% macro quoted(name) %}
    {{ return(adapter.dispatch('quoted', 'kanon_sql')(name)) }}
{% endmacro %}

{% macro default__quoted(name) %}{{ return(adapter.quote(name | replace('"', '""'))) }}{% endmacro %}
{% macro spark__quoted(name) %}{{ return(adapter.quote(name | replace('`', '``'))) }}{% endmacro %}
{% macro bigquery__quoted(name) %}{{ return(adapter.quote(name)) }}{% endmacro %}

{% macro refuse_number(what, value, least, most) %}
    {%- set text = value | string | trim -%}
    {%- if not modules.re.fullmatch('[0-9]+([.][0-9]+)?', text) or text | float < least or (most is not none and text | float > most) -%}
        {%- do exceptions.raise_compiler_error("kanon_sql: " ~ what ~ " is '" ~ value ~ "'; expected a number of at least " ~ least) -%}
    {%- endif -%}
{% endmacro %}

{% macro key_names(keys, table=none) %}
    {%- for key in keys %}{{ table ~ '.' if table }}kanon_key_{{ loop.index }}{{ ', ' if not loop.last }}{% endfor -%}
{% endmacro %}


{% macro double() %}{{ return(adapter.dispatch('double', 'kanon_sql')()) }}{% endmacro %}
{% macro default__double() %}{{ return('double precision') }}{% endmacro %}
{% macro duckdb__double() %}{{ return('double') }}{% endmacro %}
{% macro spark__double() %}{{ return('double') }}{% endmacro %}
{% macro trino__double() %}{{ return('double') }}{% endmacro %}
{% macro bigquery__double() %}{{ return('float64') }}{% endmacro %}
