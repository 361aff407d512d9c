import type { Api } from '@/api'
import { Card, CardBody, CardHeader } from '@/components/ui'
import { Command } from '@/components/command'
import { bytes, exactCount, plural } from '@/lib/format'
import { Row } from './row'

const STORES: Record<Api.StoreKind, string> = {
  sqlite: 'SQLite file',
  memory: 'SQLite, in memory (lost when the server stops)',
  postgres: 'PostgreSQL',
}

/** Describes where JSON is extracted from. */
export function extraction({ extract_json: from, embedded }: Pick<Api.ServerEnforcement, 'extract_json' | 'embedded'>): string {
  const sources = from === true ? ['fence', 'prose'] : from || []
  if (sources.length === 0) return 'JSON only'
  const confirmed = embedded === 'confirm' && sources.includes('prose') ? ', confirmed if in prose' : ''
  return `JSON is extracted from ${sources.map((source) => (source === 'fence' ? 'fences' : source)).join(' and ')}${confirmed}`
}

/** The server's configuration, which is read at startup. */
export function ServerConfig({ config }: { config: Api.ServerConfig }) {
  const { limits, enforcement } = config
  return (
    <Card className="lg:col-span-2">
      <CardHeader title="Configuration" />
      <CardBody className="flex flex-col gap-4">
        <div className="grid gap-x-8 gap-y-3 lg:grid-cols-2">
          <Row label="Database">{STORES[config.store]}</Row>
          <Row label="Keys">{config.auth ? 'required' : 'not required'}</Row>
          <Row label="Files">{config.files ? 'agents and workflows can be files' : 'agents are saved in the database'}</Row>
          <Row label="Comparison">{config.embeddings ? 'by embeddings' : 'by words'}</Row>
          <Row label="Retries">{exactCount(enforcement.max_retries)} by default</Row>
          <Row label="Strategy">
            {enforcement.strategy}, {enforcement.validation_mode},{' '}
            {extraction(enforcement)}
          </Row>
          <Row label="Leases">
            {plural(limits.lease_seconds, 'second')}, at most {plural(limits.max_deliveries, 'delivery', 'deliveries')}
          </Row>
          <Row label="Match timeout">{plural(limits.match_timeout_seconds, 'second')} to find a matching runner</Row>
          <Row label="Requests">up to {bytes(limits.request_bytes)}</Row>
        </div>
        <p className="text-muted">
          Settings are in <code>accord.toml</code> or <code>.accord/config.toml</code>, in variables{' '}
          <code>ACCORD_SECTION__KEY</code> and in flags, and are read at startup. To see where each value comes
          from:
        </p>
        <Command text="accord doctor" />
      </CardBody>
    </Card>
  )
}
