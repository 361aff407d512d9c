import { Link } from '@tanstack/react-router'
import { Page } from '@/components/page'
import { Empty } from '@/components/states'
import { buttonStyle } from '@/components/ui'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        title="There is no page at this address"
        action={
          <Link to="/" className={buttonStyle({})}>
            To the overview
          </Link>
        }
      />
    </Page>
  )
}
