# Runs a PostgreSQL cluster until standard input ends, and leaves nothing behind. The end comes when the test lets
# go of it, and also when the process of the test is killed, since the system closes the pipe then.
folder=$1
programs=$2
port=$3
shift 3

"$programs/initdb" -D "$folder" -U postgres -A trust -E UTF8 --locale=C --no-sync --no-instructions >&2 || {
    rm -rf "$folder"
    exit 1
}
# A command in the background reads from nowhere unless it is given another descriptor.
exec 3<&0
"$programs/postgres" -D "$folder" -h 127.0.0.1 -p "$port" -k '' "$@" </dev/null 3<&- >&2 &
server=$!
{
    cat >/dev/null
    kill -QUIT "$server"
} <&3 >/dev/null 2>&1 &
wait "$server"
rm -rf "$folder"
