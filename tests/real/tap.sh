# sh tap.sh FOLDER AGENT ARGS… : starts an agent, or the recorder in front of it, for a client, and
# notes what comes out of it, byte for byte, on its way to the client.
#
# `exec` keeps the process id, so that the client's signals reach the agent itself. What is started
# from here inherits descriptor 9: FOLDER/life ends when the last of these processes is gone.
folder=$1
shift
exec 9> "$folder/life"
echo $$ > "$folder/pid"
( exec tee "$folder/stdout" < "$folder/tap" & )
exec "$@" > "$folder/tap" 2> "$folder/stderr"
