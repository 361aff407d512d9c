import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { schemasQuery } from '@/api/queries'
import { Page } from '@/components/page'
import { OnlyWho } from '@/components/read-only'
import { Answer, Empty } from '@/components/states'
import { Ago } from '@/components/time'
import { Card, buttonStyle } from '@/components/ui'
import { plain } from '@/lib/inert'
import { shapeOf } from './model'

export function SchemasPage() {
  return (
    <Page
      title="Schemas"
      lead="Output schemas that runs and agents refer to by name. Registered schemas are immutable."
      actions={
        <OnlyWho may="administers">
          <Link to="/schemas/new" className={buttonStyle({ variant: 'primary' })}>
            <Plus aria-hidden /> Add a schema
          </Link>
        </OnlyWho>
      }
    >
      <Card>
        <Answer query={useQuery(schemasQuery())}>
          {(items) =>
            items.length === 0 ? (
              <Empty title="No schemas yet" command="accord schemas add task .accord/schemas/task.schema.json">
                Add one here, or from a file:
              </Empty>
            ) : (
              <ul className="divide-y">
                {items.map((schema) => (
                  <li key={schema.name} className="relative flex flex-wrap items-baseline gap-x-4 px-4 py-2 hover:bg-hover">
                    <Link
                      to="/schemas/$name"
                      params={{ name: schema.name }}
                      className="font-medium text-accent after:absolute after:inset-0"
                    >
                      {schema.name}
                    </Link>
                    <span className="min-w-0 flex-1 truncate text-muted">
                      {plain(schema.description) || <code>{plain(shapeOf(schema.schema))}</code>}
                    </span>
                    <span className="text-muted">
                      <Ago at={schema.created_at} />
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
    </Page>
  )
}
