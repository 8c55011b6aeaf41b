#!/bin/sh
# For cron: 0 3 * * * cd /srv/release && ./nightly.sh. Cron mails what is printed: nothing where all is well.
tries=3
until kanon-sql run people.yaml --strict --quiet --report release.json; do
    status=$?
    tries=$((tries - 1))
    case $status in
        3 | 130) [ "$tries" -gt 0 ] || exit "$status" ;; # a disk, a database, the time, a signal: tried again
        *) exit "$status" ;;
    esac
    sleep "${BETWEEN:-600}"
done
