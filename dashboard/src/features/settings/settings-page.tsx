import { useQuery } from '@tanstack/react-query'
import { connection } from '@/api'
import { access, forgetKey } from '@/api/access'
import { Page } from '@/components/page'
import { Answer } from '@/components/states'
import { Badge, Button, Card, CardBody, CardHeader } from '@/components/ui'
import { useObservable } from '@/lib/observable'
import { type Theme, setTheme, theme } from '@/lib/theme'
import { serverQuery } from './api'
import { Row } from './row'
import { ServerConfig } from './server-config'

const THEMES: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function SettingsPage() {
  const { key } = useObservable(access)
  const live = useObservable(connection)
  const server = useQuery(serverQuery())
  return (
    <Page title="Settings">
      <div className="grid gap-4 lg:grid-cols-2">
        <Card>
          <CardHeader title="This browser" />
          <CardBody className="flex flex-col gap-4">
            <ThemeChoice />
            <Row label="API key">
              {key === null ? (
                <span className="text-muted">not required</span>
              ) : (
                <span className="flex items-center gap-2">
                  kept for this tab <Button size="small" onClick={forgetKey}>Sign out</Button>
                </span>
              )}
            </Row>
            <Row label="Live updates">
              <Badge tone={live === 'live' ? 'success' : 'warning'}>{live}</Badge>
            </Row>
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Server" />
          <CardBody className="flex flex-col gap-4">
            <Answer query={server}>
              {({ status, config }) => (
                <>
                  <Row label="Status">
                    <Badge tone="success">{status}</Badge>
                  </Row>
                  <Row label="Version">{config.version}</Row>
                  <Row label="Address">
                    <code>{window.location.origin}</code>
                  </Row>
                  <Row label="API">
                    <a href="/docs" className="text-accent hover:underline">
                      Reference
                    </a>
                  </Row>
                </>
              )}
            </Answer>
          </CardBody>
        </Card>
        {server.data && <ServerConfig config={server.data.config} />}
      </div>
    </Page>
  )
}

function ThemeChoice() {
  const current = useObservable(theme)
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <legend className="float-left w-28 text-muted">Theme</legend>
      {THEMES.map(({ value, label }) => (
        <label key={value} className="inline-flex items-center gap-1.5">
          <input
            type="radio"
            name="theme"
            className="accent-accent"
            checked={current === value}
            onChange={() => setTheme(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
