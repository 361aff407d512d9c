import { CodeEditor } from '@/components/code'
import { Card, CardBody } from '@/components/ui'
import { useDraft } from './draft'
import { contractKind } from './model'

export function PromptTab() {
  const { blueprint, set, problem } = useDraft()
  const value = blueprint.get('system_prompt')
  const error = problem('system_prompt')
  return (
    <Card>
      <CardBody className="flex flex-col gap-2">
        <p className="text-muted">
          The system prompt.{' '}
          {contractKind(blueprint) === 'none'
            ? 'It is sent unchanged.'
            : 'The output contract is appended automatically, so you need not describe the format here.'}
        </p>
        <div className="h-[28rem]">
          <CodeEditor
            value={typeof value === 'string' ? value : ''}
            onChange={(text) => set(['system_prompt'], text)}
            language="text"
            label="System prompt"
          />
        </div>
        {error ? (
          <p role="alert" className="text-danger">
            {error}
          </p>
        ) : null}
      </CardBody>
    </Card>
  )
}
