import { Link } from '@tanstack/react-router'
import { Page } from '@/components/page'
import { Empty } from '@/components/states'
import { buttonStyle } from '@/components/ui'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        title="Page not found"
        action={
          <Link to="/" className={buttonStyle({})}>
            Go to Overview
          </Link>
        }
      />
    </Page>
  )
}
