import { Text } from '@mantine/core';
import type { ImageFeatures } from '../../api/models';
import { fieldError } from '../../ui/field-error';
import { filesProblem } from './chosen-file';
import { FileField } from './file-field';
import type { ChosenFiles } from './use-chosen-files';

/** Returns the chosen files that the model supports. */
export function sentFiles(images: ChosenFiles, mask: ChosenFiles, features: ImageFeatures | null) {
  const most = features?.max_input_images ?? 0;
  if (most === 0 || images.files.length === 0) return { images: [], mask: undefined, problem: undefined };
  return {
    images: images.files,
    mask: features?.mask ? mask.files[0] : undefined,
    problem: filesProblem(
      images.files.map(({ file }) => file),
      most,
    ),
  };
}

interface InputImagesProps {
  image: ImageFeatures;
  images: ChosenFiles;
  mask: ChosenFiles;
  problem: string | undefined;
  error: Error | null;
  disabled: boolean;
}

/** Input images to edit, and a mask for the first. */
export function InputImages({ image, images, mask, problem, error, disabled }: InputImagesProps) {
  const { max_input_images: most } = image;
  if (most === 0) {
    return (
      <Text size="xs" c="dimmed">
        This model can’t edit images.
      </Text>
    );
  }
  const refused = fieldError(error, 'image') ?? fieldError(error, 'image[]');
  return (
    <>
      <FileField
        label="Images to edit"
        description={`Optional: leave empty to generate new images. ${most === 1 ? 'One' : `Up to ${most}`} PNG, JPEG or WebP, up to 50 MB each.`}
        action={
          images.files.length > 0 && most > 1 ? 'Add images' : most > 1 ? 'Choose images' : 'Choose an image'
        }
        purpose="image"
        chosen={images}
        error={problem ?? refused}
        disabled={disabled}
      />
      {image.mask && images.files.length > 0 && (
        <FileField
          label="Mask"
          description="Optional: a PNG of the same size as the first image, below 4 MB. Transparent areas are edited."
          action={mask.files.length > 0 ? 'Choose another mask' : 'Choose a mask'}
          purpose="mask"
          chosen={mask}
          error={fieldError(error, 'mask')}
          disabled={disabled}
        />
      )}
    </>
  );
}
