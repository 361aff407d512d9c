import { expect, it } from 'vitest'
import { access, askForKey, forgetKey, presentKey } from './access'

it('does not take the answer to an older request for one about the key', () => {
  presentKey('second', 'admin')
  askForKey('the first is not known', 'first')
  expect(access.get()).toMatchObject({ key: 'second', asked: null })
  askForKey('the second is not known', 'second')
  // The page below still asks; the first reason is the one that counts.
  askForKey('a key is needed', null)
  expect(access.get()).toMatchObject({ key: null, asked: 'the second is not known', left: false })
  forgetKey()
  expect(access.get()).toMatchObject({ asked: 'signed out', left: true })
})
