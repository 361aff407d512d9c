import { Card, CardBody, CardHeader, Field, Select } from '@/components/ui'
import { EXECUTORS, EXECUTOR_TITLES } from '@/lib/catalog'
import { at } from '@/lib/lossless'
import { useDraft } from './draft'
import { ExecutorSettings } from './executor-settings'
import { ChoiceAt, LinesAt, NumberAt, TextAt } from './fields'
import { UnknownFields } from './unknown-fields'
import { type ExecutorType, itemOf, lineOf, withExecutor } from './model'

/** Name, description, executor and limits. */
export function GeneralTab({ isNew }: { isNew: boolean }) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="flex flex-col gap-4">
        <Card aria-labelledby="about">
          <CardHeader title="About" id="about" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            {isNew ? (
              <TextAt path={['name']} label="Name" hint="Letters, digits, -, _ and . Cannot be changed later." placeholder="pr-reviewer" />
            ) : null}
            <ChoiceAt
              className={isNew ? undefined : 'sm:col-span-2'}
              path={['type']}
              label="Type"
              options={[
                ['autonomous', 'autonomous: a model answers'],
                ['procedural', 'procedural: a command computes the answer'],
              ]}
            />
            <TextAt className="sm:col-span-2" path={['description']} label="Description" hint="What it is for. Other agents read this too." />
            <LinesAt className="sm:col-span-2" path={['tags']} label="Tags" hint="One per line." />
          </CardBody>
        </Card>
        <Card aria-labelledby="limits">
          <CardHeader title="Limits per run" id="limits" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            <NumberAt counts path={['limits', 'max_steps']} label="Max steps" hint="Model requests per turn." />
            <NumberAt counts path={['limits', 'max_tokens_total']} label="Max tokens" hint="Input and output tokens in total." />
            <NumberAt path={['limits', 'max_cost_usd']} label="Max cost (USD)" hint="Needs configured prices." />
            <NumberAt counts path={['limits', 'timeout_seconds']} label="Timeout (s)" hint="For the whole run. Waiting does not count." />
            <NumberAt
              counts
              path={['limits', 'input_seconds']}
              label="Time to answer (s)"
              hint="How long people have to answer a request for input. Empty: one day."
            />
            <NumberAt
              counts
              path={['retry', 'for_seconds']}
              label="Retry for (s)"
              hint="How long to wait while the provider is unavailable. Empty: the runner's setting, 90 by default."
            />
            <NumberAt
              counts
              path={['retry', 'max_attempts']}
              label="Max attempts per request"
              hint="Including the first. Empty: as many as the time allows."
            />
            <LinesAt
              className="sm:col-span-2"
              path={['escalate_to']}
              label="Fallback models"
              hint='Used in this order if the answer does not match the contract, the model refuses or its provider fails. One per line: a model, or {"provider": "…", "model": "…"}.'
              lineOf={lineOf}
              itemOf={itemOf}
            />
          </CardBody>
        </Card>
      </div>
      <div className="flex flex-col gap-4">
        <ExecutorCard />
        <Card aria-labelledby="demands">
          <CardHeader title="Runner requirements" id="demands" />
          <CardBody className="grid gap-3 sm:grid-cols-2">
            <TextAt path={['demands', 'hostname']} label="Host" />
            <TextAt path={['demands', 'project_dir']} label="Project folder" />
            <TextAt path={['demands', 'executor_type']} label="Executor" />
            <LinesAt path={['demands', 'tags']} label="Tags" hint="One per line; a runner must have all of them." />
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
        <Field label="Type" className="sm:col-span-2" error={known ? undefined : problem('executor')}>
          {(ids) => (
            <Select
              {...ids}
              value={known ?? ''}
              onChange={(event) => replace(withExecutor(blueprint, event.target.value as ExecutorType))}
            >
              {known ? null : <option value="">Choose one</option>}
              {EXECUTORS.map((executor) => (
                <option key={executor} value={executor}>
                  {executor}: {EXECUTOR_TITLES[executor]}
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
