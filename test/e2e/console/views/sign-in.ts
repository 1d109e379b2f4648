import { expect, it } from 'vitest'
import { adminKey } from '../site/service.ts'
import type { ViewTests } from '../site/views.ts'

export const signInTests: ViewTests = site => {
  it('takes the key out of the address, and keeps it for this tab until one signs out', async () => {
    const page = await site().open()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(page.url()).toBe(`${site().service.url}/console/`)
    expect(await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }]))).toBe('["",{}]')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin key').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.reload()
    await page.getByLabel('Admin key').waitFor()
  })

  it('asks again for a key that is not the right one, and takes one that is typed', async () => {
    const page = await site().open({
      address: `${site().service.url}/console/#key=not-the-admin-key-0123`,
    })
    await page.getByRole('alert').getByText('Invalid admin key.').waitFor()
    await page.getByLabel('Admin key').fill(adminKey)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })

  it('opens what a shared address names, once one has signed in', async () => {
    const page = await site().open({ address: `${site().service.url}/console/#/requests?outcome=refused` })
    await page.getByLabel('Admin key').fill(adminKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
    expect(await page.getByLabel('Outcome').inputValue()).toBe('refused')
  })
}
