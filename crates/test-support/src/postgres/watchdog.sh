# Runs a PostgreSQL cluster until standard input ends, and leaves nothing behind. The end comes when the test lets
# go of it, and also when the process of the test is killed, since the system closes the pipe then.
folder=$1
programs=$2
port=$3
shift 3

# `initdb` takes seconds, so it runs once for each version and account, and every cluster is a copy of what it made. Whoever
# finishes first puts the template in its place; the others remove theirs.
version=$("$programs/postgres" --version | tr -c 'A-Za-z0-9.\n' '-')
template=${TMPDIR:-/tmp}/accord-template-$version-$(id -u)
if ! [ -O "$template/PG_VERSION" ]; then
    made=$folder-template
    "$programs/initdb" -D "$made" -U postgres -A trust -E UTF8 --locale=C --wal-segsize=1 --no-sync --no-instructions >&2 || {
        rm -rf "$made"
        exit 1
    }
    mv -T "$made" "$template" 2>/dev/null || rm -rf "$made"
fi
cp -a "$template" "$folder" >&2 || {
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
