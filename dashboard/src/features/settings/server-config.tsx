import type { Api } from '@/api'
import { Card, CardBody, CardHeader } from '@/components/ui'
import { Command } from '@/components/command'
import { bytes, exactCount, plural } from '@/lib/format'
import { Row } from './row'

const STORES: Record<Api.StoreKind, string> = {
  sqlite: 'SQLite, in a file',
  memory: 'SQLite, in memory: gone when the server ends',
  postgres: 'PostgreSQL',
}

/** What the server goes by. It is read when the server starts, and changed where it was read from. */
export function ServerConfig({ config }: { config: Api.ServerConfig }) {
  const { limits, enforcement } = config
  return (
    <Card className="lg:col-span-2">
      <CardHeader title="Configuration" />
      <CardBody className="flex flex-col gap-4">
        <div className="grid gap-x-8 gap-y-3 lg:grid-cols-2">
          <Row label="Store">{STORES[config.store]}</Row>
          <Row label="Keys">{config.auth ? 'needed' : 'none is needed'}</Row>
          <Row label="Files">{config.files ? 'agents and workflows live in files too' : 'agents live in the store'}</Row>
          <Row label="Siblings">{config.embeddings ? 'compared by an embedding model' : 'compared by their words'}</Row>
          <Row label="Retries">{exactCount(enforcement.max_retries)}, where the agent says nothing</Row>
          <Row label="Strategy">
            {enforcement.strategy}, {enforcement.validation_mode},{' '}
            {enforcement.extract_json ? 'JSON may stand in prose' : 'nothing but JSON'}
          </Row>
          <Row label="Leases">
            {plural(limits.lease_seconds, 'second')}, lost at most {plural(limits.max_deliveries, 'time')}
          </Row>
          <Row label="Waiting">{plural(limits.match_timeout_seconds, 'second')} for a runner that can take a run</Row>
          <Row label="Requests">up to {bytes(limits.request_bytes)}</Row>
        </div>
        <p className="text-muted">
          Settings are in <code>accord.toml</code> or <code>.accord/config.toml</code>, in variables{' '}
          <code>ACCORD_SECTION__KEY</code> and in flags; they are read when the server starts. Where each value came
          from:
        </p>
        <Command text="accord doctor" />
      </CardBody>
    </Card>
  )
}
