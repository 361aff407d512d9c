import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { forgetKey } from '@/api/access'
import { Button, Confirm } from '@/components/ui'
import { unsaved } from '@/lib/unsaved'

/** Signs out, and asks first where something on the page is not saved: it goes with the key. */
export function ForgetKey() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Forget the key"
        title="Forget the key"
        onClick={() => (unsaved.get() > 0 ? setAsking(true) : forgetKey())}
      >
        <LogOut aria-hidden />
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Forget the key without saving?"
        deed="Forget the key"
        onConfirm={forgetKey}
      >
        What you have changed is not saved and will be lost.
      </Confirm>
    </>
  )
}
