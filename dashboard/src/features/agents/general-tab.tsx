import { Card, CardBody, CardHeader, Field, Select } from '@/components/ui'
import { at } from '@/lib/lossless'
import { useDraft } from './draft'
import { ExecutorSettings } from './executor-settings'
import { ChoiceAt, LinesAt, NumberAt, TextAt } from './fields'
import { UnknownFields } from './unknown-fields'
import { EXECUTORS, type ExecutorType, withExecutor } from './model'

const EXECUTOR_WORDS: Record<ExecutorType, string> = {
  llm: 'llm: a model, by its provider',
  'claude-code': 'claude-code: the Claude Code CLI',
  codex: 'codex: the Codex CLI',
  process: 'process: a command that computes',
  external: 'external: a program of your own',
  replay: 'replay: a recording',
}

/** Who the agent is, what does its work, and how far it may go. */
export function GeneralTab({ isNew }: { isNew: boolean }) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="flex flex-col gap-4">
        <Card aria-labelledby="about">
          <CardHeader title="About" id="about" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            {isNew ? (
              <TextAt path={['name']} label="Name" hint="Letters, digits, -, _ and . It cannot be changed later." placeholder="pr-reviewer" />
            ) : null}
            <ChoiceAt
              className={isNew ? undefined : 'sm:col-span-2'}
              path={['type']}
              label="Type"
              options={[
                ['autonomous', 'autonomous: a model decides'],
                ['procedural', 'procedural: a command computes'],
              ]}
            />
            <TextAt className="sm:col-span-2" path={['description']} label="Description" hint="What it is for; other agents read this too." />
            <LinesAt className="sm:col-span-2" path={['tags']} label="Tags" hint="Labels to find it by, one a line." />
          </CardBody>
        </Card>
        <Card aria-labelledby="limits">
          <CardHeader title="Limits of one run" id="limits" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            <NumberAt counts path={['limits', 'max_steps']} label="Steps" hint="Model requests in one turn." />
            <NumberAt counts path={['limits', 'max_tokens_total']} label="Tokens" hint="Read and written, in all." />
            <NumberAt path={['limits', 'max_cost_usd']} label="Cost in USD" hint="Where prices are known." />
            <NumberAt counts path={['limits', 'timeout_seconds']} label="Seconds" hint="In all." />
            <NumberAt
              counts
              path={['retry', 'for_seconds']}
              label="Retry for seconds"
              hint="How long to wait for a provider that is away. None: as the runner is set up, usually 90."
            />
            <NumberAt
              counts
              path={['retry', 'max_attempts']}
              label="Attempts of a request"
              hint="At most, the first included. None: as many as the time allows."
            />
            <LinesAt
              className="sm:col-span-2"
              path={['escalate_to']}
              label="Stronger models"
              hint="Asked in this order when the contract is not met, one a line. None: no escalation."
            />
          </CardBody>
        </Card>
      </div>
      <div className="flex flex-col gap-4">
        <ExecutorCard />
        <Card aria-labelledby="demands">
          <CardHeader title="Demands on the runner" id="demands" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            <TextAt path={['demands', 'hostname']} label="Host" />
            <TextAt path={['demands', 'project_dir']} label="Project folder" />
            <TextAt path={['demands', 'executor_type']} label="Executor" />
            <LinesAt path={['demands', 'tags']} label="Tags, all of them" hint="One a line." />
          </CardBody>
        </Card>
        <UnknownFields />
      </div>
    </div>
  )
}

function ExecutorCard() {
  const { blueprint, replace, problem } = useDraft()
  const type = at(blueprint, 'executor', 'type')
  const known = EXECUTORS.find((executor) => executor === type)
  return (
    <Card aria-labelledby="executor">
      <CardHeader title="Executor" id="executor" />
      <CardBody className="grid gap-3 sm:grid-cols-2">
        <Field label="What does the work" className="sm:col-span-2" error={known ? undefined : problem('executor')}>
          {(ids) => (
            <Select
              {...ids}
              value={known ?? ''}
              onChange={(event) => replace(withExecutor(blueprint, event.target.value as ExecutorType))}
            >
              {known ? null : <option value="">choose one</option>}
              {EXECUTORS.map((executor) => (
                <option key={executor} value={executor}>
                  {EXECUTOR_WORDS[executor]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {known ? <ExecutorSettings type={known} /> : null}
      </CardBody>
    </Card>
  )
}
