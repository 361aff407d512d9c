import { Link } from '@tanstack/react-router'
import { Fact } from '@/components/fact'
import { Ago } from '@/components/time'
import { Card, CardBody, CardHeader, StatusBadge, buttonStyle } from '@/components/ui'
import { ValueCard } from '@/components/value-card'
import { plain } from '@/lib/inert'
import { actorLabel } from '@/lib/inputs'
import { write } from '@/lib/lossless'
import type { Request } from './model'
import { SaveExample } from './save-example'

const EXPLANATIONS = {
  open: '',
  answered: '',
  expired: 'Nobody answered in time.',
  withdrawn: 'The run ended before anyone answered.',
}

/** How a request was closed, with the answer and who gave it. */
export function Outcome({ request }: { request: Request }) {
  const { view, answer, input } = request
  const { status, answered_by: by, closed_at: closed } = view
  return (
    <>
      <Card aria-labelledby="outcome">
        <CardHeader title="Outcome" id="outcome" actions={<StatusBadge status={status} />} />
        <CardBody className="flex flex-col gap-3">
          {EXPLANATIONS[status] === '' ? null : <p>{EXPLANATIONS[status]}</p>}
          <dl className="flex flex-wrap gap-x-6 gap-y-2">
            {by ? <Fact label="Answered by">{plain(actorLabel(by))}</Fact> : null}
            {closed ? (
              <Fact label="Closed">
                <Ago at={closed} />
              </Fact>
            ) : null}
          </dl>
          <Link to="/sessions/$sessionId" params={{ sessionId: view.session_id }} search={{ run: view.run_id }} className={buttonStyle({ className: 'self-start' })}>
            Go to the run
          </Link>
          {view.purpose === 'correction' && answer !== undefined && input !== undefined ? (
            <SaveExample agent={view.agent_name} input={input} output={answer} />
          ) : null}
        </CardBody>
      </Card>
      {answer === undefined ? null : <ValueCard title="Answer" text={write(answer)} />}
    </>
  )
}
