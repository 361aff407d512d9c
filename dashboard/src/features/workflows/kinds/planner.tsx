import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '@/api/queries'
import { Checkbox } from '@/components/ui'
import { fromPlain, isList, isMap } from '@/lib/lossless'
import { OnFailure } from '../inspector/failure'
import { CountPart } from '../inspector/fields'
import { useNode } from '../inspector/node'
import { Section } from '../inspector/section'
import { PromptOrParameters, Worker } from '../inspector/work'

export function PlannerForm() {
  const { part, set, problem } = useNode()
  const agents = useQuery(agentsQuery()).data?.items ?? []
  const value = part('agents')
  const chosen = isList(value) ? value.filter((name): name is string => typeof name === 'string') : []
  const names = [...new Set([...agents.map(({ name }) => name), ...chosen])]
  const synthesis = isMap(part('synthesis'))
  return (
    <>
      <Section title="Plan">
        <Worker workflows={false} />
        <PromptOrParameters />
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium">Agents the planner can use</legend>
          {names.map((name) => (
            <Checkbox
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(event) => set(['agents'], event.target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))}
            />
          ))}
          {problem('agents') === undefined ? null : <p className="text-danger">{problem('agents')}</p>}
        </fieldset>
        <CountPart path={['concurrency']} label="Concurrency" placeholder="8" />
        <OnFailure />
      </Section>
      <Section title="Synthesis">
        <Checkbox
          label="Combine the results with an agent"
          checked={synthesis}
          onChange={(event) => set(['synthesis'], event.target.checked ? fromPlain({ agent: '' }) : undefined)}
        />
        {synthesis ? (
          <>
            <Worker under={['synthesis']} />
            <PromptOrParameters under={['synthesis']} names={['plan', 'results']} />
          </>
        ) : (
          <p className="text-muted">Without one, the output is the plan and the results.</p>
        )}
      </Section>
    </>
  )
}
