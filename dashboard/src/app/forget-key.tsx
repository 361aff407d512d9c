import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { forgetKey } from '@/api/access'
import { Button, Confirm } from '@/components/ui'
import { unsaved } from '@/lib/unsaved'

/** Signs out; asks first if the page has unsaved changes. */
export function ForgetKey() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => (unsaved.get() > 0 ? setAsking(true) : forgetKey())}
      >
        <LogOut aria-hidden />
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Sign out without saving?"
        confirmLabel="Sign out"
        onConfirm={forgetKey}
      >
        Your unsaved changes will be lost.
      </Confirm>
    </>
  )
}
