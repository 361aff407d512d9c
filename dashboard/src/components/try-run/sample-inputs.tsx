import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Disc3, FileInput } from 'lucide-react'
import { runsQuery } from '@/api/queries'
import { Button } from '@/components/ui'
import type { Json } from '@/lib/lossless'
import { runTextQuery } from './api'
import { parametersOf } from './model'
import { samplesOf } from './samples'

interface Props {
  agentName: string
  parameters: Json
  onUse: (input: Json) => void
}

/** Inputs that are known to work: the examples of the schema, and the input of the last run that completed. */
export function SampleInputs({ agentName, parameters, onUse }: Props) {
  const client = useQueryClient()
  const completed = useQuery(runsQuery({ agent_name: agentName, status: 'completed', limit: 1 }))
  const last = completed.data?.items[0]
  const samples = samplesOf(parameters)
  if (samples.length === 0 && last === undefined) return null
  const fillInLast = async (id: string) => {
    const input = parametersOf(await client.fetchQuery(runTextQuery(id)), agentName)
    if (input !== undefined) onUse(input)
  }
  return (
    <div role="group" aria-label="Sample inputs" className="flex flex-wrap items-center gap-2">
      {samples.map((sample, index) => (
        <Button key={index} size="small" onClick={() => onUse(sample)}>
          <FileInput aria-hidden /> {samples.length === 1 ? 'Use the example input' : `Use example ${index + 1}`}
        </Button>
      ))}
      {last === undefined ? null : (
        <Button size="small" onClick={() => void fillInLast(last.run_id)}>
          <FileInput aria-hidden /> Use the input of the last successful run
        </Button>
      )}
    </div>
  )
}

/** Explains that a recording only answers its recorded inputs and fails on others. */
export function Recorded({ agentName }: { agentName: string }) {
  return (
    <div className="flex items-start gap-2 rounded-md bg-info-soft px-3 py-2">
      <Disc3 aria-hidden className="mt-0.5 size-4 shrink-0 text-info" />
      <p className="min-w-0">
        <strong>This agent is a recording.</strong> It plays recorded answers and fails on any other input. The examples of{' '}
        <code>accord init</code> keep their recorded inputs in <code>.accord/inputs</code>. To run it on your own text,{' '}
        <Link to="/agents/$name" params={{ name: agentName }} search={{ tab: 'general' }} className="text-accent underline">
          choose a model
        </Link>
        .
      </p>
    </div>
  )
}
