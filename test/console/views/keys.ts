import { expect, it } from 'vitest'
import { askInChat } from '../site/ask-in-chat.ts'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const keysTests: ViewTests = site => {
  it('are issued, used, limited to their models, rotated, disabled and deleted', async () => {
    const page = await site().open()
    const { ask } = site().service
    await goTo(page, 'Keys')
    await page.getByRole('button', { name: 'Issue a key' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('<b>Nightly</b>')
    await dialog.getByLabel('Models').fill('demo, small-*')
    await dialog.getByLabel('Tags').fill('team=night')
    await dialog.getByRole('button', { name: 'Add a limit' }).click()
    await dialog.getByLabel('How many').fill('100')
    await dialog.getByLabel('Expires').fill('2099-01-01T12:00')
    await dialog.getByRole('button', { name: 'Issue the key' }).press('Enter')
    const key = await dialog.getByLabel('The key').inputValue()
    expect(key.length).toBeGreaterThan(20)
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(key)
    const card = page.locator('.key', { hasText: '<b>Nightly</b>' })
    await card.getByText('demo, small-*').waitFor()
    await card.getByText('100 requests a minute').waitFor()
    await card.getByText('team = night').waitFor()

    await goTo(page, 'Chat')
    await page.getByText('Options').click()
    await page.getByLabel("A caller's key").fill(key)
    await page.getByText('Options').click()
    const allowed = await askInChat(page, 'demo', 'What is 2 + 2?')
    await allowed.getByRole('link', { name: 'How it was answered' }).waitFor()
    const wire = page.getByRole('region', { name: 'On the wire' })
    await wire.getByText('x-request-id').waitFor()
    await askInChat(page, 'counted', 'Hello')
    await wire.locator('.status', { hasText: '403' }).waitFor()

    await goTo(page, 'Keys')
    await card.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByLabel('The old text goes on for').selectOption('no longer')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const next = await dialog.getByLabel('The key').inputValue()
    expect(next).not.toBe(key)
    await page.keyboard.press('Escape')
    await statusBecomes(() => ask('demo', { key }), 401)
    expect((await ask('demo', { key: next })).status).toBe(200)

    await card.getByRole('button', { name: 'Disable' }).click()
    await card.getByText('Disabled').waitFor()
    await statusBecomes(() => ask('demo', { key: next }), 401)
    await card.getByRole('button', { name: 'Enable' }).click()
    await card.getByText('Active').waitFor()
    await statusBecomes(() => ask('demo', { key: next }), 200)

    await card.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await card.count()).toBe(1)
    await card.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete the key' }).click()
    await card.waitFor({ state: 'detached' })
    await statusBecomes(() => ask('demo', { key: next }), 401)
  })

  it('say what of a form cannot be taken', async () => {
    const page = await site().open()
    await goTo(page, 'Keys')
    await page.getByRole('button', { name: 'Issue a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Nobody')
    await dialog.getByLabel('Tags').fill('team')
    await dialog.getByRole('button', { name: 'Issue the key' }).click()
    await dialog.getByRole('alert').getByText('The tag team has no value: write it as team=search.').waitFor()
    await dialog.getByLabel('Tags').fill('')
    await dialog.getByRole('button', { name: 'Add a limit' }).click()
    await dialog.getByLabel('How many').fill('1.5')
    await dialog.getByRole('button', { name: 'Issue the key' }).click()
    await dialog.getByRole('alert').getByText(/limit/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
}

/** A key that changed is known everywhere within moments. */
async function statusBecomes(ask: () => Promise<Response>, status: number): Promise<void> {
  await expect.poll(async () => (await ask()).status, { timeout: 3_000 }).toBe(status)
}
