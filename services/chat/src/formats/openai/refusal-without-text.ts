/** For clients that show `refusal` and send it back: their turn without any text would be refused. */
export const REFUSAL_WITHOUT_TEXT = 'The model declined to answer.';
