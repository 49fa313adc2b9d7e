/** Text to video takes pixels: by resolution and ratio, as Model Studio lists them. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '480P': { '16:9': '832*480', '9:16': '480*832', '1:1': '624*624' },
  '720P': { '16:9': '1280*720', '9:16': '720*1280', '1:1': '960*960', '4:3': '1088*832', '3:4': '832*1088' },
  '1080P': {
    '16:9': '1920*1080',
    '9:16': '1080*1920',
    '1:1': '1440*1440',
    '4:3': '1632*1248',
    '3:4': '1248*1632',
  },
};

/** Undefined if that resolution does not exist in that ratio. */
export function videoSize(resolution: string, ratio = '16:9'): string | undefined {
  return SIZES[resolution]?.[ratio];
}
