"""The table of the API: what the C++ headers do not say, by language.

Enumerations, option structs, defaults and documentation stand in the public C++ headers, once (headers.py reads them).
This file says which of them the other languages have. All names follow from those of C++:

    C++                       C                               Python, JavaScript, the program
    enum Footprint            onepass_footprint               type Footprint
    Footprint::kCovering      ONEPASS_FOOTPRINT_COVERING      "covering"
    struct PyramidOptions     onepass_pyramid_options
    vulkan::PyramidTuning     onepass_vulkan_pyramid_tuning
"""

# fmt: off: lists stay in rows of what belongs together.

# Enumerators whose word is not the name in lower case with underscores: terms of the field.
WORDS = {
    "LuminanceWeights::AcesCg": "acescg",
    "JpegChroma::444": "444",
    "JpegChroma::422": "422",
    "JpegChroma::420": "420",
}

# Enumerations with words in C++ (onepass/words.hpp) and, unless they belong to files and tiles, numbers in C.
WORD_ENUMS = [
    "Reduction",
    "Footprint",
    "Alpha",
    "NormalMap",
    "PyramidPath",
    "MipFilter",
    "MipFilterInput",
    "Ringing",
    "Signal",
    "Norm",
    "SpectrumOrder",
    "SpectrumOrigin",
    "SpectrumPrecision",
    "Boundary",
    "FourierTechnique",
    "ConvolutionMode",
    "KernelScale",
    "KernelChannels",
    "AlphaPolicy",
    "FilterBand",
    "FilterShape",
    "DcGain",
    "FilterDomain",
    "CorrelationKind",
    "CorrelationWindow",
    "PeakRefinement",
    "MatchScore",
    "DeconvolutionMethod",
    "WienerPrior",
    "DeconvolutionStart",
    "DeconvolutionEdges",
    "DeconvolutionAcceleration",
    "BloomMethod",
    "BloomResolution",
    "NormalEncoding",
    "ReflectionResolution",
    "ReflectionRays",
    "ReflectionColor",
    "LuminanceWeights",
    "Metering",
    "MeterStatistic",
    "ExposureRule",
    "ToneOperator",
    "Transfer",
    "Primaries",
    "AgxLook",
    "Dither",
    "AlphaAssociation",
    "BlockQuality",
    "BlockMetric",
    "BlockAlpha",
    "NormalVariance",
    "NormalY",
    "vulkan::Switch",
    "vulkan::SourceUsage",
    "vulkan::Pipelines",
    "vulkan::Sampling",
    "vulkan::Scratch",
    "vulkan::TileStrategy",
    "vulkan::Twiddles",
    "vulkan::SideKind",
    "files::Color",
    "files::Window",
    "files::DdsHeader",
    "files::ExrType",
    "files::ExrLayout",
    "files::ExrCompression",
    "files::TiffCompression",
    "files::JpegChroma",
    "tiles::TileCompression",
    "tiles::TileFormat",
]

# Enumerations without words: formats, types of voxels and files have names of their own in other languages, errors are
# codes or exceptions, and the rest is for C++ alone.
NO_WORDS = {
    "Format",
    "BlockFormat",
    "VoxelType",
    "ChannelType",
    "files::Type",
    "ErrorCode",
    "Axis",
    "depth_query::RayState",
    "cuda::Channels",
    "cuda::Launches",
    "VolumeAccess",
    "tiles::GridOverlap",
    "volumes::VolumeCompression",
}

# Defaults of Python, JavaScript and the program that are not those of an option struct in C++, and why.
DEFAULTS = {
    ("Color", "linear"): "arrays are numbers: they have no file that states an encoding",
    ("Reduction", "max"): "hiz: the farthest depth, with which nothing visible is culled",
}

# Structs that C has, with a size in front. A struct that is a field of one of these is flat in C: local.grey is
# local_grey, and kernel_origin, which may be absent, is has_kernel_origin and kernel_origin.
C_OPTIONS = [
    "PyramidOptions",
    "TileReductionOptions",
    "TransformOptions",
    "ConvolutionOptions",
    "FilterOptions",
    "CorrelationOptions",
    "MatchOptions",
    "DeconvolutionOptions",
    "BloomOptions",
    "MeterOptions",
    "ToneMapOptions",
    "BlockOptions",
    "RoughnessOptions",
    "HeightOptions",
    "BlockCompressorOptions",
    "ReflectionOptions",
]
C_VULKAN_OPTIONS = [
    "vulkan::PyramidTuning",
    "vulkan::TileReductionTuning",
    "vulkan::TransformTuning",
    "vulkan::TransformSides",
    "vulkan::MeterTuning",
    "vulkan::ToneMapTuning",
    "vulkan::FrameToneMapTuning",
    "vulkan::ReflectionTuning",
    "vulkan::PyramidImages",
    "vulkan::TileReductionImages",
    "vulkan::TransformResources",
    "vulkan::OperationImages",
    "vulkan::CorrelationResources",
    "vulkan::MeterImages",
    "vulkan::ToneMapImages",
    "vulkan::FrameToneMapImages",
    "vulkan::ReflectionImages",
    "vulkan::BlockImages",
]

C_FILES_OPTIONS = ["files::ReadOptions", "files::WriteOptions", "tiles::TileOptions", "volumes::VolumeFileOptions"]

# Enumerations of files without words in C++ that have numbers in C and words in Python.
C_FILES_NUMBERS = ["volumes::VolumeCompression"]

# Structs of C whose name does not follow from that of C++: tiles and volumes need no second word.
C_NAMES = {"tiles::TileOptions": "onepass_tile_options", "volumes::VolumeFileOptions": "onepass_volume_file_options"}

# Fields that C does not have: callbacks are arguments of its functions, attributes come from a file that was read.
C_LEFT_OUT = {
    "files::ReadOptions::before_allocation",
    "files::ExrOptions::attributes",
    "tiles::TileInput::grid_overlap",
    "tiles::TileInput::grid_fill",
    "tiles::TileOptions::progress",
    "volumes::VolumeFileOptions::progress",
    "volumes::VolumeFileOptions::deconvolution",
}

# Constants that are defaults of fields, in C.
C_CONSTANTS = {"kDefaultMaxBytes": "2^33", "files::kDefaultMaxBytes": "2^33", "kDefaultVolumeBytes": "2^30"}

# Types that C has by value, with the same fields.
C_VALUES = {"Extent": "onepass_extent", "Rect": "onepass_rect", "Offset": "onepass_offset"}
C_FILES_VALUES = {
    "Box": "onepass_files_box",
    "Chromaticities": "onepass_chromaticities",
    "VoxelSize": "onepass_voxel_size",
}
# Values that onepass.h declares, with its volumes.
C_VOLUME_VALUES = {"VolumeSize": "onepass_volume_size"}
C_VULKAN_VALUES = {
    "Side": "onepass_vulkan_side",
    "BufferRange": "onepass_vulkan_buffer_range",
    "ReflectionImage": "onepass_vulkan_reflection_image",
}

# Structs that have the same layout in C and C++ and are not converted.
C_SAME_LAYOUT = {"Notch": "onepass_notch", "MeterResult": "onepass_meter_result"}
C_VULKAN_SAME_LAYOUT = {"vulkan::ReflectionView": "onepass_vulkan_reflection_view"}

# Enumerations whose words Python checks and annotates.
PYTHON_ENUMS = [
    "Alpha",
    "AlphaPolicy",
    "BlockAlpha",
    "BlockMetric",
    "BlockQuality",
    "BloomMethod",
    "BloomResolution",
    "Boundary",
    "ConvolutionMode",
    "CorrelationKind",
    "CorrelationWindow",
    "DcGain",
    "DeconvolutionAcceleration",
    "DeconvolutionEdges",
    "DeconvolutionMethod",
    "DeconvolutionStart",
    "ExposureRule",
    "files::DdsHeader",
    "files::ExrCompression",
    "files::Window",
    "FilterBand",
    "FilterDomain",
    "FilterShape",
    "Footprint",
    "KernelChannels",
    "KernelScale",
    "LuminanceWeights",
    "MatchScore",
    "Metering",
    "MeterStatistic",
    "MipFilter",
    "MipFilterInput",
    "Norm",
    "NormalVariance",
    "NormalY",
    "PeakRefinement",
    "Primaries",
    "Reduction",
    "Ringing",
    "AgxLook",
    "tiles::TileCompression",
    "tiles::TileFormat",
    "ToneOperator",
    "Transfer",
    "volumes::VolumeCompression",
    "WienerPrior",
]
PYTHON_NAMES = {"Primaries": "TonePrimaries"}  # files have more primaries
# Enumerators that the types of Python leave out: NumPy's transforms always have a norm.
PYTHON_WITHOUT = {"Norm": ["None"]}

# Enumerations whose words JavaScript has, without those that its kernels do not implement.
JAVASCRIPT_ENUMS = {
    "Alpha": ["Coverage"],
    "AlphaPolicy": [],
    "BloomMethod": [],
    "Boundary": [],
    "ExposureRule": [],
    "FilterBand": ["All"],
    "FilterShape": [],
    "Footprint": ["Tight", "Ceil"],
    "KernelChannels": [],
    "KernelScale": [],
    "LuminanceWeights": [],
    "Metering": [],
    "MeterStatistic": [],
    "Norm": [],
    "Reduction": ["Mode"],
    "AgxLook": [],
    "ToneOperator": [],
    "Transfer": [],
}
