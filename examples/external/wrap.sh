#!/usr/bin/env bash
# An executor for Accord around any command that reads a question on stdin and writes the answer to stdout:
#
#   executor: { type: external, command: ./wrap.sh, args: [llm, --model, small], reprompt: false }
#
# It speaks the protocol of docs/guides/external-executors.md. The command remembers nothing, so it cannot be asked again
# in place: `reprompt: false`, in the blueprint and below. Needs bash and jq.
set -u

jq --null-input --compact-output --arg name "${1:?usage: wrap.sh COMMAND [ARGUMENT…]}" \
  '{type: "hello", protocol: 1, name: $name,
    capabilities: {resume: false, native_schema: false, reprompt: false}}'

while IFS= read -r line; do
  case "$(jq --raw-output .type <<<"$line")" in
    turn)
      question="$(jq --raw-output '.system_prompt + "\n\n" + .prompt' <<<"$line")"
      if answer="$("$@" <<<"$question")"; then
        printf '%s' "$answer" | jq --raw-input --slurp --compact-output \
          --argjson to "$(jq --compact-output '{session_id, turn}' <<<"$line")" \
          '{type: "answer", text: .} + $to'
      else
        jq --compact-output --arg message "$1 exited with code $?" \
          '{type: "error", session_id, turn, message: $message}' <<<"$line"
      fi
      ;;
    shutdown) exit 0 ;;
  esac
done
