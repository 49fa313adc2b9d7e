import type { Locator, Page } from 'playwright-core';

const REPLY_TIMEOUT_MS = 20_000;

/** Sends a prompt and returns the conversation once the reply is complete and its cost is shown. */
export async function chatInPlayground(page: Page, question: string): Promise<Locator> {
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await page.getByRole('textbox', { name: 'Message' }).fill(question);
  await page.getByRole('button', { name: 'Send' }).click();
  await conversation.getByText('The reply is complete.').waitFor({ timeout: REPLY_TIMEOUT_MS });
  await conversation.getByTitle(/^\$0\.\d+$/).waitFor();
  return conversation;
}

export async function generateImage(page: Page, prompt: string): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Generate' }).click();
  const made = page.getByRole('region', { name: 'Generated images' });
  await made.getByRole('img', { name: prompt }).waitFor({ timeout: REPLY_TIMEOUT_MS });
  return made;
}

/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Edits an image with a mask; checks that a file of another type is refused and that a chosen file can be removed. */
export async function editImage(page: Page, prompt: string): Promise<Locator> {
  const images = page.getByRole('group', { name: 'Images to edit' });
  const pick = (field: Locator, name: string, buffer: Buffer) =>
    field.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
  await pick(images, 'notes.png', Buffer.from('not an image'));
  await images.getByText('“notes.png” is not a PNG, JPEG or WebP.').waitFor();
  await pick(images, 'cat.png', PNG);
  await pick(images, 'dog.png', PNG);
  await images.getByRole('button', { name: 'Remove dog.png' }).click();
  await images.getByRole('img', { name: 'cat.png' }).waitFor();
  await pick(page.getByRole('group', { name: 'Mask' }), 'mask.png', PNG);
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Edit images' }).click();
  const made = page.getByRole('region', { name: 'Generated images' }).filter({ hasText: 'edit of cat.png' });
  await made.getByRole('img', { name: prompt }).waitFor({ timeout: REPLY_TIMEOUT_MS });
  return made;
}

export async function generateVideo(page: Page, model: string, prompt: string): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Generate' }).click();
  const video = page.getByRole('region', { name: `Video by ${model}` });
  await video.getByRole('link', { name: 'Open the video' }).waitFor({ timeout: REPLY_TIMEOUT_MS });
  return video;
}
