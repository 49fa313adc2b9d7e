import type { Locator, Page } from 'playwright-core';

const REPLY_TIMEOUT_MS = 20_000;

/** Asks in the playground, and answers with the conversation once the reply is whole and its cost is known. */
export async function chatInPlayground(page: Page, question: string): Promise<Locator> {
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await page.getByRole('textbox', { name: 'Message' }).fill(question);
  await page.getByRole('button', { name: 'Send' }).click();
  await conversation.getByText('The reply is complete.').waitFor({ timeout: REPLY_TIMEOUT_MS });
  await conversation.getByTitle(/^\$0\.\d+$/).waitFor();
  return conversation;
}

export async function makeImage(page: Page, prompt: string): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Make images' }).click();
  const made = page.getByRole('region', { name: 'Images made' });
  await made.getByRole('img', { name: prompt }).waitFor({ timeout: REPLY_TIMEOUT_MS });
  return made;
}

export async function orderVideo(page: Page, model: string, prompt: string): Promise<Locator> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Order video' }).click();
  const video = page.getByRole('region', { name: `Video by ${model}` });
  await video.getByRole('link', { name: 'Open the video' }).waitFor({ timeout: REPLY_TIMEOUT_MS });
  return video;
}
