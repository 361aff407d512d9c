import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { connection } from '@/api'
import { access, forgetKey } from '@/api/access'
import { Command } from '@/components/command'
import { Page } from '@/components/page'
import { Answer } from '@/components/states'
import { Badge, Button, Card, CardBody, CardHeader } from '@/components/ui'
import { useObservable } from '@/lib/observable'
import { type Theme, setTheme, theme } from '@/lib/theme'
import { serverQuery } from './api'

const THEMES: { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function SettingsPage() {
  const { key } = useObservable(access)
  const live = useObservable(connection)
  return (
    <Page title="Settings">
      <div className="grid gap-4 lg:grid-cols-2">
        <Card>
          <CardHeader title="This browser" />
          <CardBody className="flex flex-col gap-4">
            <ThemeChoice />
            <Row label="Key">
              {key === null ? (
                <span className="text-muted">none is needed</span>
              ) : (
                <span className="flex items-center gap-2">
                  in memory, until a reload <Button size="small" onClick={forgetKey}>Forget it</Button>
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
            <Answer query={useQuery(serverQuery())}>
              {(server) => (
                <>
                  <Row label="Status">
                    <Badge tone="success">{server.status}</Badge>
                  </Row>
                  <Row label="Version">{server.version}</Row>
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
        <Card className="lg:col-span-2">
          <CardHeader title="Configuration" />
          <CardBody className="flex flex-col gap-3">
            <p className="text-muted">
              Settings of the server are in <code>accord.toml</code> or <code>.accord/config.toml</code>, in variables{' '}
              <code>ACCORD_SECTION__KEY</code> and in flags; they are read when it starts. What is in force, and where each
              value came from:
            </p>
            <Command text="accord doctor" />
          </CardBody>
        </Card>
      </div>
    </Page>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span className="w-28 text-muted">{label}</span>
      <span>{children}</span>
    </div>
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
